print(list(zip([1, 2, 3], "ab")), list(zip()), list(zip([1])), dict(zip("ab", [1, 2])))
try:
    list(zip([1], [1, 2], strict=True))
except ValueError as error:
    print(error)
print(list(zip(*[(1, "a"), (2, "b")])))
print(list(enumerate("ab")), list(enumerate("ab", start=1)))
print(list(map(str, [1, 2])), list(map(lambda a, b: a + b, [1, 2], [10, 20, 30])))
print(list(filter(lambda x: x % 2, range(6))), list(filter(None, [0, 1, None, 2])))
print(list(reversed([1, 2])), list(reversed("ab")), list(reversed((1, 2))))
