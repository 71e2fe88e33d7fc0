class P:
    __slots__ = ("x", "y")

    def __init__(self, x):
        self.x = x


p = P(1)
p.y = 2
print(p.x, p.y)
try:
    p.z = 3
except AttributeError:
    print("no z")
q = P(5)
try:
    q.y
except AttributeError:
    print("y is unset")
print(hasattr(q, "x"), hasattr(q, "y"))
