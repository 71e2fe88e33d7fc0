# defaults are evaluated once, when the function is defined
n = 1


def f(a=n, b=n + 1):
    return a, b


n = 100
print(f(), f(5), f(b=7))


def make(i):
    def g(j=i):
        return j

    return g


print([make(i)() for i in range(3)])
print(f.__defaults__)
