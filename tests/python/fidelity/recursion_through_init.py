# refused
class A:
    def __init__(self, n):
        self.k = A(n - 1) if n else None


A(600)
