def f():
    return 1, *[2, 3]


def g():
    yield 0, *"ab"


print(f(), list(g()))
x = *range(3), *"z"
print(x)
for t in 1, *[2, 3]:
    print(t, end=" ")
print()
d = {"a": 1}
print({**d, "a": 2}, {"a": 2, **d}, [*d], [*d.items()], {*d})
first, *_, (x, *y) = [1, 2, 3, (4, 5, 6)]
print(first, _, x, y)
print(max(*[1, 5], 3), dict(**{"k": 1}, j=2))
