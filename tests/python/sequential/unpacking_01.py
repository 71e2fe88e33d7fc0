a, b = 1, 2
a, b = b, a
print(a, b)
first, *middle, last = range(6)
print(first, middle, last)
*init, end = "abc"
print(init, end)
head, *tail = [1]
print(head, tail)
(x, (y, z)), w = (1, (2, 3)), 4
print(x, y, z, w)
[p, q] = "pq"
print(p, q)
(only,) = [7]
print(only)
