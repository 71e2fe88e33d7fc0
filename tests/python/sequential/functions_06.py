# redefinition, conditional definition, late binding of globals
def f():
    return g()


def g():
    return 1


print(f())


def g():
    return 2


print(f())
if f() == 2:

    def h():
        return "two"

else:

    def h():
        return "other"


print(h())
