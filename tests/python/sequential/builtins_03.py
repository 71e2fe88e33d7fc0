print(
    abs(-3),
    abs(2.5),
    abs(-0.0),
    divmod(9, 4),
    divmod(-9, 4),
    pow(2, 5),
    pow(2, 5, 7),
    round(2.567, 2),
    round(7),
)
print(chr(65), ord("A"), hex(4095), bin(9), oct(64), hex(10**20))
print(int("7") + float("1.5"), str(5) + "x", bool([]), bool("0"), complex is complex, type(3).__name__)
print(repr("a"), repr([1, "b"]), repr(None), ascii("ü"), format(3.14159, ".2f"))
print(
    isinstance(3, (str, int)),
    isinstance("s", str),
    isinstance([], (tuple, dict)),
    issubclass(bool, int),
    issubclass(int, (str, object)),
)
print(callable(print), callable("x"), hash("a") == hash("a"))
