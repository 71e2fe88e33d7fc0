d = {"a": 1, "b": 2}
d["c"] = 3
d["a"] = 10
print(d, len(d), d["a"], d.get("z"), d.get("z", 0), "b" in d, list(d), "z" not in d)
print(list(d.keys()), list(d.values()), list(d.items()))
print(d.pop("b"), d.pop("zz", None), d.popitem(), d)
print(d.setdefault("a", 5), d.setdefault("n", []), d)
d.update({"a": 0, "x": 1}, y=2)
print(d)
d.clear()
print(d, bool(d))
