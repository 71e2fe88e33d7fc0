# order of insertion
d = {}
for k in "cab":
    d[k] = ord(k)
print(d)
d["c"] = 0
print(d)
del d["c"]
d["c"] = 1
print(d)
print(list(reversed(d)), dict(sorted(d.items())), sorted(d, key=d.get))
print({"a": 1, "b": 2} == {"b": 2, "a": 1}, d | {"z": 9}, {"a": 0} | d)
d |= {"q": 4}
print(d)
