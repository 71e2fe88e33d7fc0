# in place
class Bag:
    def __init__(self):
        self.items = []

    def __iadd__(self, x):
        self.items.append(x)
        return self

    def __or__(self, x):
        return ("or", x)


b = c = Bag()
b += 1
b += 2
print(b is c, c.items)
b |= 3
print(b, c.items)
xs = ys = [1]
xs += [2]
print(ys, xs is ys)
xs = xs + [3]
print(ys, xs is ys)
t = u = (1,)
t += (2,)
print(u, t)
s = "a"
s += "b"
s *= 2
print(s)
