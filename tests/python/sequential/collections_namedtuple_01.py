from collections import namedtuple

Point = namedtuple("Point", ["x", "y"])
p = Point(1, y=2)
print(p, p.x, p[1], tuple(p), p == (1, 2), len(p))
x, y = p
print(x + y, p._replace(x=9), p._asdict(), Point._fields, Point._make([3, 4]))
D = namedtuple("D", "a b c", defaults=[7])
print(D(1, 2), sorted([Point(2, 1), Point(1, 5)]))
try:
    p.x = 5
except AttributeError:
    print("immutable")


class Named(Point):
    def norm(self):
        return (self.x**2 + self.y**2) ** 0.5


print(Named(3, 4).norm(), Named(3, 4))
