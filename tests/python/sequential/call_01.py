class Adder:
    def __init__(self, n):
        self.n = n
        self.calls = 0

    def __call__(self, x, *more, scale=1):
        self.calls += 1
        return (self.n + x + sum(more)) * scale


a = Adder(10)
print(a(1), a(1, 2, 3), a(5, scale=2), a.calls, callable(a))
print(list(map(a, range(3))), a.calls)
print(sorted([3, 1, 2], key=Adder(0)))
