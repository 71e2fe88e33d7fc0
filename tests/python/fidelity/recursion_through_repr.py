# refused
class A:
    def __init__(self, n):
        self.n = n

    def __repr__(self):
        return "x" if self.n == 0 else repr(A(self.n - 1))


repr(A(600))
