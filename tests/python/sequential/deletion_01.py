# __del__ is not relied on; del of names, items and attributes
class A:
    pass


a = A()
b = a
del a
print(isinstance(b, A))
b.x = 1
del b.x
print(hasattr(b, "x"))
items = [1, 2, 3]
(first, *_), second = items[:2] + items[2:], 0
del first, second
try:
    first
except NameError:
    print("deleted")
del items[0], items[-1]
print(items)
x = y = 1
del (x, y)
try:
    y
except NameError as error:
    print(error)
