# generator expressions in calls, nested, and with conditions
print(any(x > 3 for x in range(5)), all(x > 3 for x in range(5)))
print(max((x * y for x in range(3) for y in range(3)), default=0))
print(",".join(str(i) for i in range(4)))
print(dict((i, i * i) for i in range(3)))
print(sorted((w.lower() for w in ["B", "a"]), reverse=True))
g = (x for x in (y for y in range(5) if y % 2) if x > 1)
print(next(g), next(g, None))
print(list(x for x in [1, 2] for _ in range(x)))
