def greet(name):
    return "hello " + name


def nothing():
    pass


def early(n):
    if n < 0:
        return
    return n * 2


print(greet("ann"))
print(nothing())
print(early(-1), early(4))
print(greet.__name__, nothing.__name__)
