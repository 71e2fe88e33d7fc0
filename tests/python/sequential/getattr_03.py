class A:
    x = 1

    def f(self):
        return "f"


a = A()
print(getattr(a, "x"), getattr(a, "y", "none"), getattr(a, "f")())
setattr(a, "y", 5)
print(a.y, hasattr(a, "y"), hasattr(A, "y"))
delattr(a, "y")
print(hasattr(a, "y"))
try:
    getattr(a, "y")
except AttributeError as error:
    print(error)
try:
    del a.zzz
except AttributeError:
    print("nothing to delete")
try:
    a.g()
except AttributeError as error:
    print(error)
