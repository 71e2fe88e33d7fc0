class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n == 0:
            raise StopIteration
        self.n -= 1
        return self.n + 1


print(list(Countdown(3)))
c = Countdown(2)
print(next(c), next(c), next(c, None))
print(tuple(Countdown(4)), sum(Countdown(5)))
print(iter(c) is c)
