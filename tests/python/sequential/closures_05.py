# a variable that is not bound yet
def f():
    def g():
        return later

    try:
        g()
    except NameError:
        print("not yet")
    later = 5
    return g()


print(f())


def h():
    try:
        return value
    except UnboundLocalError:
        return "unbound"
    value = 1


print(h())
