# str, repr and args
for e in (
    ValueError(),
    ValueError("one"),
    ValueError("one", 2),
    KeyError("k"),
    KeyError(1, 2),
    IndexError("i"),
    Exception(None),
    AssertionError("a"),
    StopIteration(5),
    OSError(2, "No such file"),
    ZeroDivisionError("z"),
):
    print(str(e), "|", repr(e), "|", e.args)
