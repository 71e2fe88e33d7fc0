# errors
def show(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, error)


d = {"a": 1}
show(lambda: d["x"])
show(lambda: d[(1, 2)])
show(lambda: d.pop("x"))
show(lambda: {}.popitem())
show(lambda: d[{}])
show(lambda: dict([1]))
show(lambda: dict([(1, 2, 3)]))
show(lambda: d.fromkeys(5))
show(lambda: {**d, **{"b": 2}})
show(lambda: dict(**{"x": 1}))
