import copy

a = [1, [2, 3], {"k": [4]}]
s, d = copy.copy(a), copy.deepcopy(a)
a[1].append("x")
a[2]["k"].append("y")
print(s, d)


class Node:
    def __init__(self, v):
        self.v = v
        self.next = None


n = Node([1])
n.next = n
m = copy.deepcopy(n)
print(m is not n, m.next is m, m.v == n.v, m.v is n.v)
c = copy.copy(n)
print(c.v is n.v, c.next is n)
print(copy.copy((1, 2)), copy.deepcopy("s"), copy.copy({1}), copy.copy({"a": 1}))
