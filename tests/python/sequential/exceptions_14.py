# messages of common errors
def show(f):
    try:
        f()
    except Exception as error:
        print(type(error).__name__, "-", error)


show(lambda: 1 / 0)
show(lambda: 1 // 0)
show(lambda: 1 % 0)
show(lambda: [1, 2][5])
show(lambda: (1,)[3])
show(lambda: "abc"[9])
show(lambda: {"a": 1}["b"])
show(lambda: int("12x"))
show(lambda: float("abc"))
show(lambda: [].pop())
show(lambda: {}.popitem())
show(lambda: set().pop())
show(lambda: [1].remove(2))
show(lambda: [1].index(2))
show(lambda: next(iter([])))
