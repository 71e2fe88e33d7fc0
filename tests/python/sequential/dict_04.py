# views are live and behave like sets
d = {"a": 1, "b": 2}
keys, items, values = d.keys(), d.items(), d.values()
d["c"] = 3
print(list(keys), len(items), list(values), ("c", 3) in items, "c" in keys, 3 in values)
print(sorted(keys & {"a", "z"}), sorted(keys | {"z"}), sorted(keys - {"a"}), keys == {"a", "b", "c"})
print(keys, values, items)
try:
    for k in d:
        del d[k]
except RuntimeError as error:
    print(error)
c = d.copy()
c["new"] = 1
print("new" in d)
