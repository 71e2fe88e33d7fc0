for value in (0, 1, -1, 0.0, "", "a", [], [0], {}, {1: 1}, (), (0,), None, True, False, set(), {0}, range(0), range(1), b"", b"x"):
    print(bool(value), "t" if value else "f", not value)
