print((lambda x, y=2: x + y)(1))
print((lambda *a, **k: (a, k))(1, 2, z=3))
print(sorted(["bb", "a", "ccc"], key=lambda s: -len(s)))
print(list(map(lambda p: p[0] * p[1], [(1, 2), (3, 4)])))
print((lambda: (yes := 5) + yes)())
print((lambda n: "even" if n % 2 == 0 else "odd")(7))
adders = [lambda x, n=n: x + n for n in range(3)]
print([f(10) for f in adders])
