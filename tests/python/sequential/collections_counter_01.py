from collections import Counter

c = Counter("mississippi")
print(c["s"], c["z"], c.most_common(2), sum(c.values()), sorted(c))
c.update("ss")
c.subtract({"m": 3})
print(c["s"], c["m"], c.total())
print(Counter(a=3, b=1) + Counter(a=1, c=2), Counter(a=3, b=1) - Counter(a=1, b=5))
print(Counter(a=3, b=1) & Counter(a=1, b=2), Counter(a=3, b=1) | Counter(a=1, b=2))
print(sorted(Counter(a=2, b=1).elements()), Counter([1, 1, 2]) == Counter([2, 1, 1]), Counter())
del c["i"]
print("i" in c, dict(Counter("aab")))
