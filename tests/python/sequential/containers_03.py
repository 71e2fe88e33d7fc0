# __len__ gives truth, __reversed__, __length_hint__ not needed
class L:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError
        return i * 10


print(bool(L(0)), bool(L(2)), list(L(3)), list(reversed(L(3))))
print(20 in L(3), max(L(4)), sum(L(4)), sorted(L(3), reverse=True))


class R:
    def __reversed__(self):
        return iter("cba")


print(list(reversed(R())))
try:
    len(3)
except TypeError as error:
    print(error)
