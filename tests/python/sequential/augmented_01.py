# augmented assignment to every kind of target, evaluated once
def index():
    print("index")
    return 0


a = [1]
a[index()] += 5
print(a)


class Box:
    value = 1


b = Box()
b.value += 1
print(b.value, Box.value)
d = {"k": [1]}
d["k"] += [2]
d["k"] *= 2
print(d)
x = y = 5
x += 1
print(x, y)
s = {"n": {"m": 1}}
s["n"]["m"] -= 4
print(s)
a[0:1] += [7, 8]
print(a)
