x: int = 5
y: "not evaluated"
z: list[int] = [1]


def f(a: int, b: str = "x", *c: float, d: "D" = None) -> bool:
    e: int = a
    return bool(e)


class D:
    field: int
    other: str = "o"


print(x, z, f(1), f(0), D.other, hasattr(D, "field"))
try:
    y
except NameError:
    print("y is only annotated")
t: tuple[int, ...] | None = None
print(t)
