# in place, copies, empty, conversions
a = {1, 2, 3}
b = a
a |= {4}
a &= {2, 3, 4}
a -= {2}
a ^= {9}
print(sorted(b), b is a)
a.update([5, 6], "x")
a.difference_update({5})
a.intersection_update({3, 4, "x"})
print(sorted(map(str, a)))
c = a.copy()
c.clear()
print(len(a), c, set(), type({}).__name__, {0}, set("a"))
print(sorted(set("mississippi")), len(set([1, 1.0, True])), {1, 2} == {2, 1}, {1} == frozenset([1]))
try:
    {[]}
except TypeError as error:
    print(error)
