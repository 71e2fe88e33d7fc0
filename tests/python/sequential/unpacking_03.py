# unpacking in displays and calls
a, b = [1, 2], (3, 4)
print([*a, *b], (*a, *b), [*a, 9, *b])
print(sorted({*a, *b, 1}))
print({**{"x": 1, "y": 2}, "y": 3, **{"z": 4}})
print(*a, *b, sep="-")
print([*range(3)], [*"ab"], (*(),))
x = y = [0]
x.append(1)
print(y)
i = 0
i, r = 1, [10, 20][i]
print(i, r)
