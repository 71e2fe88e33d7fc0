from collections import defaultdict

d = defaultdict(list)
for k, v in [("a", 1), ("b", 2), ("a", 3)]:
    d[k].append(v)
print(dict(d), d["new"], sorted(d), d.get("other"), "other" in d)
n = defaultdict(int)
for c in "hello":
    n[c] += 1
print(dict(n))
nested = defaultdict(lambda: defaultdict(int))
nested["x"]["y"] += 5
print(nested["x"]["y"], nested["q"]["r"], sorted(nested))
plain = defaultdict(None, {"a": 1})
try:
    plain["z"]
except KeyError as error:
    print("KeyError", error)
print(defaultdict(int, a=1))
