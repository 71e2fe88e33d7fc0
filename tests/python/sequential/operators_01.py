class Vector:
    def __init__(self, *values):
        self.values = values

    def __add__(self, other):
        return Vector(*(a + b for a, b in zip(self.values, other.values)))

    def __sub__(self, other):
        return Vector(*(a - b for a, b in zip(self.values, other.values)))

    def __mul__(self, k):
        return Vector(*(a * k for a in self.values))

    __rmul__ = __mul__

    def __neg__(self):
        return self * -1

    def __eq__(self, other):
        return isinstance(other, Vector) and self.values == other.values

    def __matmul__(self, other):
        return sum(a * b for a, b in zip(self.values, other.values))

    def __repr__(self):
        return f"Vector{self.values}"

    def __abs__(self):
        return (self @ self) ** 0.5


v, w = Vector(3, 4), Vector(1, -1)
print(v + w, v - w, v * 2, 2 * v, -v, v @ w, abs(v), v == Vector(3, 4), v != w, v == 3)
