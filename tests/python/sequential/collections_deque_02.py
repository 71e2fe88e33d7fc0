from collections import deque

d = deque(maxlen=3)
for i in range(5):
    d.append(i)
print(d, d.maxlen)
d.appendleft("x")
print(d, deque("ab") == deque(["a", "b"]), deque([1]) + deque([2]), deque([1]) * 2)
d[1] = "set"
print(d, d.copy(), [x for x in d])
e = deque([1, 2, 3])
del e[1]
e += [9]
print(e, sorted(e), sum(e))
try:
    for x in e:
        e.append(x)
except RuntimeError as error:
    print(error)
