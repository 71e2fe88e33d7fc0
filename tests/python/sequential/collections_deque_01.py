from collections import deque

d = deque([1, 2, 3])
d.append(4)
d.appendleft(0)
print(d, len(d), d[0], d[-1], 3 in d)
print(d.pop(), d.popleft(), d)
d.extend([7, 8])
d.extendleft([-1, -2])
print(d)
d.rotate(2)
print(d)
d.rotate(-1)
print(list(d), d.index(7), d.count(8))
d.remove(7)
d.reverse()
d.insert(1, "x")
print(d, list(reversed(d)))
d.clear()
print(d, bool(d))
try:
    d.popleft()
except IndexError as error:
    print(error)
