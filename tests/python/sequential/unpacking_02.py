# wrong numbers
def attempt(f):
    try:
        f()
    except (ValueError, TypeError) as error:
        print(type(error).__name__, error)


def two(v):
    a, b = v


def star(v):
    a, b, *c = v


attempt(lambda: two([1]))
attempt(lambda: two(iter([])))
attempt(lambda: star([1]))
attempt(lambda: two(5))
attempt(lambda: two(None))
two([1, 2])
