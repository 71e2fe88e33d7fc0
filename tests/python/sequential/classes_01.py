class Point:
    dimensions = 2

    def __init__(self, x, y=0):
        self.x = x
        self.y = y

    def moved(self, dx, dy):
        return Point(self.x + dx, self.y + dy)

    def __repr__(self):
        return f"Point({self.x}, {self.y})"


p = Point(1, 2)
print(p, p.moved(1, 1), Point(5))
print(p.dimensions, Point.dimensions)
p.dimensions = 3
print(p.dimensions, Point.dimensions, Point(0).dimensions)
p.label = "new"
print(p.label, [p, Point(0)])
del p.label
print(hasattr(p, "label"))
