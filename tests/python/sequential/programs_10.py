# matrices and determinants
class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]

    def __matmul__(self, other):
        columns = list(zip(*other.rows))
        return Matrix([[sum(a * b for a, b in zip(r, c)) for c in columns] for r in self.rows])

    def __pow__(self, n):
        result = Matrix([[int(i == j) for j in range(len(self.rows))] for i in range(len(self.rows))])
        for _ in range(n):
            result = result @ self
        return result

    def minor(self, k):
        return Matrix([[v for j, v in enumerate(r) if j != k] for r in self.rows[1:]])

    def determinant(self):
        if not self.rows:
            return 1
        return sum((-1) ** k * v * self.minor(k).determinant() for k, v in enumerate(self.rows[0]))

    def __str__(self):
        return "\n".join(" ".join(f"{v:4}" for v in r) for r in self.rows)


print(Matrix([[1, 1], [1, 0]]) ** 10)
print(Matrix([[2, 0, 1], [1, 3, 2], [1, 1, 1]]).determinant())
