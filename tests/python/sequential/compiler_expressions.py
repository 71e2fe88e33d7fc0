"""Unpacking, displays, f-strings, comparisons, augmented assignment."""

a, (b, *c), d = 1, (2, 3, 4), 5
print(a, b, c, d, [*c, *"ab"], {**{"a": 1}, "b": 2}, {*c, 9} == {3, 4, 9}, (*c,))
print(f"{a!r:>5}|{b:{a + 3}d}|{c=}|{'q'}", f"", 1 < 2 < 3 < 3, 1 < 2 > 0, not 1 < 2 < 2)
a, b = b, a
l = [1, 2, 3, 4]
l[1:3] = [9]
l[0] += 5
del l[-1]
print(a, b, l, l[::-1], 5 if a else 6, a and 0 or "z")
assert a, "no"
try:
    assert not a, f"msg {a}"
except AssertionError as e:
    print(repr(e))
