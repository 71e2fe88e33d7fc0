matrix = [[1, 2, 3], [4, 5, 6]]
print([[row[i] for row in matrix] for i in range(3)])
print([v for row in matrix for v in row if v % 2 == 0])
print([a + b for a, b in zip(*matrix)])
print([(a, *rest) for a, *rest in matrix])
print([y for x in range(4) if (y := x * x) > 1])
