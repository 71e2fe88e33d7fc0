# class, function, comprehension and global scopes together
v = "g"


def f():
    v = "f"

    class C:
        v = "c"
        inside = [v for _ in range(1)]

        def m(self):
            return v

    return C.v, C.inside, C().m(), [v for _ in range(1)]


print(f(), v)


def g():
    global v
    v = "changed"

    def h():
        return v

    return h()


print(g(), v)
