# sorting with errors and side effects in the key
calls = []


def key(x):
    calls.append(x)
    return -x


print(sorted([1, 3, 2], key=key), calls)
items = [3, 1, 2]
try:
    items.sort(key=lambda x: 1 / (x - 1))
except ZeroDivisionError:
    print("key failed", sorted(items))
data = [("b", 2), ("a", 2), ("c", 1)]
print(sorted(data, key=lambda p: (p[1], p[0])), sorted(data, key=lambda p: p[1], reverse=True))
print(sorted([0.5, -1, True, 10**20]), sorted(["é", "z", "a", "Z"]), sorted([(), (1,), (0, 5)]))
for i, (name, n) in enumerate(sorted(data)):
    print(i, name, n)
