# lookup order: data descriptor, instance, class
class Data:
    def __get__(self, obj, cls):
        return "data descriptor"

    def __set__(self, obj, value):
        obj.__dict__["d"] = value


class NonData:
    def __get__(self, obj, cls):
        return "non-data descriptor"


class C:
    d = Data()
    n = NonData()
    c = "class"


x = C()
x.d = "instance"
x.n = "instance"
x.c = "instance"
print(x.d, x.n, x.c, C.n, C.c)
del x.c
print(x.c, sorted(x.__dict__))
