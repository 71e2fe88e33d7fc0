print(len("abc"), len([]), len({1: 2}), len(range(7)))
print(
    sum([1, 2, 3]),
    sum([], 5),
    sum([[1], [2]], []),
    sum(x * x for x in range(4)),
    sum([0.1] * 3),
    sum((1, 2), start=10),
)
print(
    min(3, 1, 2),
    max([3, 1, 2]),
    min("b", "a"),
    max([], default="none"),
    min([-3, 2], key=abs),
    max("aa", "b", key=len),
)
print(any([0, "", 3]), all([1, "a", []]), any([]), all([]))
print(sorted([3, 1, 2]), sorted("cab", reverse=True), sorted({"b": 1, "a": 2}))
for bad in (lambda: min([]), lambda: max(), lambda: sum("ab"), lambda: min(1, "a")):
    try:
        bad()
    except (ValueError, TypeError) as error:
        print(type(error).__name__)
