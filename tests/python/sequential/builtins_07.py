# stability, keys and laziness of sorted, min, max on equal values
pairs = [("b", 1), ("a", 1), ("c", 0)]
print(sorted(pairs, key=lambda p: p[1]), min(pairs, key=lambda p: p[1]), max(pairs, key=lambda p: p[1]))
print(sorted(pairs, key=lambda p: p[1], reverse=True))
calls = []
any(calls.append(x) or x > 1 for x in range(5))
print(calls)
print(max([1, 1.0]), min([1.0, 1]), max("abc", "abd"), max((1, 2), (1, 1, 5)))
print(sorted([True, 0, 2, -1]), sorted([[2], [1, 5], [1]]), sorted("bA a"))
print(list(map(sorted, ["ba", "dc"])), sum(map(len, ["a", "bc"])))
