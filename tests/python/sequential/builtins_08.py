# isinstance with unions, type objects, getattr on classes, vars-free introspection
class A:
    kind = "a"


print(isinstance(3, int | str), isinstance(None, int | None), issubclass(bool, int | str))
print(A.__name__, A.kind, getattr(A, "missing", None), hasattr(A, "kind"), A().__class__.__name__)
print(type("Made", (A,), {"x": 5})().x, type("Made", (), {}).__name__)
print([t.__name__ for t in (int, str, list, dict, ValueError, object)])
print(all(isinstance(v, object) for v in (1, "a", None, int, A, print)))
print((3).__add__(4), "a".__len__(), [1, 2].__contains__(2), (5).__class__ is int)
