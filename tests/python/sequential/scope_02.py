# del of locals, nonlocal through several levels, names of arguments
def f():
    x = 1
    del x
    try:
        return x
    except UnboundLocalError:
        return "deleted"


def g():
    def h():
        def k():
            nonlocal n
            n += 1

        k()
        k()

    n = 0
    h()
    return n


def swap(a, b):
    a, b = b, a
    return a, b


a, b = 1, 2
print(f(), g(), swap(a, b), a, b)
if True:
    made_in_if = 1
for made_in_for in range(2):
    inner = made_in_for
print(made_in_if, made_in_for, inner)
