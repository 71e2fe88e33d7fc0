# identity first, then __eq__, both sides
class Noisy:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        print("eq", self.n, getattr(other, "n", other))
        return self.n == getattr(other, "n", other)

    def __hash__(self):
        return self.n


a, b = Noisy(1), Noisy(1)
print(a == b, a != b)
print(a in [a], b in [a])
print([a] == [a], [a] == [b])
print({a: "x"}[b], (a, 2) == (b, 2))
print(a == 1, 1 == a, [1, 2].index(Noisy(2)), [1, 2].count(Noisy(1)))
