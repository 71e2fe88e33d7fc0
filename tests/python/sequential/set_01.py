s = {3, 1, 2}
s.add(2)
s.add(5)
print(sorted(s), len(s), 3 in s, 9 not in s)
s.discard(100)
s.remove(5)
print(sorted(s))
a, b = {1, 2, 3}, {2, 3, 4}
print(sorted(a | b), sorted(a & b), sorted(a - b), sorted(a ^ b))
print(
    sorted(a.union([9], (8,))),
    sorted(a.intersection(b, [2])),
    sorted(a.difference([1])),
    sorted(a.symmetric_difference(b)),
)
print(a <= b, {2} < a, a >= {1}, a.issubset(range(5)), a.isdisjoint({7}), a.issuperset([]))
try:
    s.remove(100)
except KeyError as error:
    print("KeyError", error)
