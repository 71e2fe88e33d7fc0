# errors
def show(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, error)


a = [1, 2]
show(lambda: a[2])
show(lambda: a[-3])
show(lambda: a["0"])
show(lambda: a.index(9))
show(lambda: a.index(2, 0, 1))
show(lambda: a.pop(5))
show(lambda: a.remove("x"))
show(lambda: [].pop())
show(lambda: a + 1)
show(lambda: a * "x")
show(lambda: a[1.0])
show(lambda: a.__len__())
show(lambda: list(5))
