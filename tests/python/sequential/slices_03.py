# deletion
a = list(range(10))
del a[0]
del a[-1]
print(a)
del a[2:4]
print(a)
del a[::2]
print(a)
del a[:]
print(a)
d = {"a": 1, "b": 2}
del d["a"]
print(d)
m = [[1, 2], [3, 4]]
del m[0][1], m[1]
print(m)
try:
    del a[0]
except IndexError as error:
    print(error)
x = 1
del x
try:
    x
except NameError as error:
    print(error)
