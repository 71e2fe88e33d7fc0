# three levels
def a():
    x = 1

    def b():
        y = 2

        def c():
            nonlocal x
            x += y
            return x

        return c

    inner = b()
    inner()
    inner()
    return x


print(a())


def compose(*fs):
    def run(v):
        for f in fs:
            v = f(v)
        return v

    return run


print(compose(str, len, lambda n: n * 10)(12345))
