f = frozenset([1, 2, 2])
print(sorted(f), len(f), 1 in f, f == {1, 2}, hash(f) == hash(frozenset([2, 1])))
print(sorted(f | {3}), type(f | {3}).__name__, type({3} | f).__name__)
print({f: "key"}[frozenset([2, 1])], frozenset(), frozenset([1]))
print(sorted(f & {1}), f < {1, 2, 3}, sorted({frozenset([1]), frozenset([1])}, key=len))
try:
    f.add(3)
except AttributeError as error:
    print(error)
