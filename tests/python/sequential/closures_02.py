# cells are shared and bound late
functions = []
for i in range(3):
    functions.append(lambda: i)
print([f() for f in functions])


def make():
    return [lambda: j for j in range(3)]


print([f() for f in make()])
print([f() for f in [lambda k=k: k for k in range(3)]])
