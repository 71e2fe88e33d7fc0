# unary operators and conversions
class N:
    def __neg__(self):
        return "neg"

    def __pos__(self):
        return "pos"

    def __invert__(self):
        return "inv"

    def __abs__(self):
        return "abs"

    def __int__(self):
        return 7

    def __float__(self):
        return 7.5

    def __bool__(self):
        return False

    def __index__(self):
        return 2

    def __round__(self, n=None):
        return ("round", n)


n = N()
print(-n, +n, ~n, abs(n), int(n), float(n), bool(n), not n)
print([10, 20, 30][n], "abcdef"[n:], list(range(n)), hex(n), round(n), round(n, 1))
print(divmod(17, 5), pow(2, 10), pow(2, 10, 1000))
