# order of assignment
items = [0, 0, 0]
i = 0
i, items[i] = 2, "x"
print(i, items)
a = b = c = []
b.append(1)
print(a, c)
d = {}
d["a"], d["b"] = d["c"], d["d"] = 1, 2
print(d)
