from functools import cached_property, cmp_to_key, singledispatch


class Data:
    def __init__(self):
        self.n = 3

    @cached_property
    def total(self):
        print("computed once")
        return self.n * 100


d = Data()
print(d.total, d.total)
print(sorted([3, 1, 2], key=cmp_to_key(lambda a, b: b - a)))


@singledispatch
def show(x):
    return "object"


@show.register
def _(x: int):
    return f"int {x}"


@show.register(list)
def _(x):
    return f"list of {len(x)}"


print(show(1), show([1]), show("s"), show(True))
