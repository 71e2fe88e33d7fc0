# positional-only and keyword-only
def f(a, b, /, c, *, d=0):
    return (a, b, c, d)


print(f(1, 2, 3))
print(f(1, 2, c=3, d=4))


def g(a, /, **kwargs):
    return a, kwargs


print(g(1, a=2))
for call in (lambda: f(a=1, b=2, c=3), lambda: f(1, 2, 3, 4), lambda: f(1), lambda: g()):
    try:
        call()
    except TypeError:
        print("TypeError")
