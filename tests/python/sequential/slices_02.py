# assignment
a = list(range(6))
a[1:3] = ["x", "y", "z"]
print(a)
a[:0] = [-1]
print(a)
a[len(a) :] = [99]
print(a)
a[2:5] = []
print(a)
a[::2] = "abc"[: len(a[::2])]
print(a)
a[:] = range(3)
print(a)
a[1:1] = [7, 8]
print(a)
try:
    a[::2] = [1]
except ValueError as error:
    print(error)
b = a
b[:] = []
print(a)
