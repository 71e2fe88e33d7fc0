# messages of type errors
def show(f):
    try:
        f()
    except Exception as error:
        print(type(error).__name__, "-", error)


show(lambda: 1 + "a")
show(lambda: "a" + 1)
show(lambda: [] + ())
show(lambda: None + 1)
show(lambda: -"a")
five = 5
show(lambda: five())
show(lambda: five[0])
show(lambda: None.x)
show(lambda: len(5))
show(lambda: {}[[]])
show(lambda: "a" * "b")
show(lambda: [1] < 2)
pair = [1, 2]
show(lambda: pair["a"])
show(lambda: "x".nothing)
show(lambda: sum(["a"]))
