x = 1


def read():
    return x


def local():
    x = 2
    return read(), x


def change():
    global x
    x = 3
    return read()


print(local(), x, change(), x)
del x
try:
    read()
except NameError as error:
    print(error)
