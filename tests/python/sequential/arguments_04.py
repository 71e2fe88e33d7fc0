# wrong calls raise TypeError
def f(a, b=1):
    return a, b


def attempt(call):
    try:
        return call()
    except TypeError as error:
        return type(error).__name__


print(attempt(lambda: f()))
print(attempt(lambda: f(1, 2, 3)))
print(attempt(lambda: f(1, a=2)))
print(attempt(lambda: f(1, c=2)))
print(attempt(lambda: f(1)))
print(attempt(lambda: (lambda: 0)(1)))
print(attempt(lambda: f(*[1, 2])))
