# types and their names
for v in (
    1,
    1.5,
    "s",
    b"b",
    [],
    (),
    {},
    set(),
    frozenset(),
    None,
    True,
    range(1),
    len,
    print,
    lambda: 0,
    int,
    ValueError(),
    ...,
    NotImplemented,
    slice(1),
    iter([]),
    (x for x in []),
):
    print(type(v).__name__, end=" ")
print()
print(type(3) is int, type(True) is bool, type([]) == list, type(type), int, str, ValueError, type(None))
print(object() == object(), None is None, Ellipsis is ...)
print(isinstance(ValueError(), Exception), isinstance(int, type), isinstance(None, type(None)))
