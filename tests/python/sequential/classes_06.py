# default object behaviour
class A:
    pass


a, b = A(), A()
print(a == a, a == b, a != b, a is a)
print(isinstance(a, A), isinstance(a, object), isinstance(3, A), issubclass(A, object))
print({a: 1}[a], len({a, b, a}))
print(bool(a), len(str(a)) > 0, repr(a).startswith("<__main__.A object at"))
print(A.__name__, type(a) is A, type(A) is type)
