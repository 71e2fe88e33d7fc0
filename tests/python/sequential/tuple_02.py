# immutable outside, mutable inside; as keys; swapping
t = ([], {})
t[0].append(1)
t[1]["k"] = 2
print(t)
try:
    t[0] += [2]
except TypeError as error:
    print(error)
print(t)
grid = {(0, 0): "a", (0, 1): "b"}
print(grid[0, 1], (1, 1) in grid)
x, y, z = 1, 2, 3
x, y, z = z, x, y
print(x, y, z)
print(*((i, i**2) for i in range(3)))
