# NotImplemented leads to the other side, then to TypeError
class Metre:
    def __init__(self, n):
        self.n = n

    def __add__(self, other):
        if isinstance(other, Metre):
            return Metre(self.n + other.n)
        return NotImplemented

    def __radd__(self, other):
        if other == 0:
            return self
        return NotImplemented

    def __repr__(self):
        return f"{self.n}m"


print(Metre(1) + Metre(2), sum([Metre(1), Metre(5)]))
for bad in (lambda: Metre(1) + 1, lambda: 1 + Metre(1), lambda: Metre(1) - Metre(1)):
    try:
        bad()
    except TypeError as error:
        print(error)
