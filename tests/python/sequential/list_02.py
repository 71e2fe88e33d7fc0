# operations
print([1, 2] + [3], [0] * 3, 2 * [1, 2], [1] == [1.0], [] == [], [[]] * 2)
m = [[0] * 2] * 2
m[0][0] = 1
print(m)
m = [[0] * 2 for _ in range(2)]
m[0][0] = 1
print(m)
a = [1, 2, 3]
a[0], a[-1] = a[-1], a[0]
print(a, a[1], 2 in a)
a += (4, 5)
a.extend("xy")
print(a)
print(list("abc"), list(range(3)), list({"k": 1}), list(), list(map(str, a)))
