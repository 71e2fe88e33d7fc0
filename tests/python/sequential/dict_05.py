# nested, grouping, counting
words = ["apple", "bob", "cat", "avocado", "bee"]
groups = {}
for w in words:
    groups.setdefault(w[0], []).append(w)
print(groups)
counts = {}
for c in "mississippi":
    counts[c] = counts.get(c, 0) + 1
print(counts)
tree = {"left": {"value": 1}, "right": {"value": 2, "left": {"value": 3}}}


def total(t):
    return t.get("value", 0) + sum(total(t[k]) for k in ("left", "right") if k in t)


print(total(tree))
tree["left"]["value"] += 10
print(total(tree), tree["left"])
