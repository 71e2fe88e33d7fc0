# names in a class body are not seen by methods
x = "global"


class C:
    x = "class"
    y = x

    def f(self):
        return x, self.x

    z = [x for _ in range(2)]


print(C.y, C().f(), C.z)


def make():
    x = "local"

    class D:
        y = x

        def f(self):
            return x

    return D


print(make().y, make()().f())
