# getter, setter, deleter; inheritance of properties
class A:
    def __init__(self):
        self._x = 1

    @property
    def x(self):
        print("get")
        return self._x

    @x.setter
    def x(self, v):
        print("set", v)
        self._x = v

    @x.deleter
    def x(self):
        print("del")
        self._x = None


class B(A):
    @property
    def x(self):
        return super().x * 10


a = A()
a.x += 5
del a.x
print(a.x)
print(B().x)
try:
    B().x = 3
except AttributeError:
    print("no setter in B")
