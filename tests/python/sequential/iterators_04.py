# changing a list while it is walked
items = [1, 2, 3, 4]
seen = []
for x in items:
    seen.append(x)
    if x == 2:
        items.remove(x)
print(seen, items)
items = [1]
for x in items:
    if x < 5:
        items.append(x + 1)
print(items)
d = {"a": 1}
try:
    for k in d:
        d[k + "x"] = 1
except RuntimeError as error:
    print(error)
