t = (1, 2, 3, 2)
print(t, t[0], t[-1], len(t), t.count(2), t.index(3), 2 in t, t + (4,), t * 2)
print((), (1,), tuple(), tuple("ab"), tuple([1, 2]), 1, (1))
print((1, 2) < (1, 3), (1,) < (1, 0), max((3, 1), (2, 9)), sorted(t), t == (1, 2, 3, 2))
a, b, *c = t
print(a, b, c, (lambda *x: x)(*t))
try:
    t[0] = 5
except TypeError as error:
    print(error)
try:
    t.append(1)
except AttributeError as error:
    print(error)
