from functools import partialmethod, total_ordering


@total_ordering
class Size:
    order = ["s", "m", "l"]

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return self.name == other.name

    def __lt__(self, other):
        return self.order.index(self.name) < self.order.index(other.name)


print(Size("s") < Size("l"), Size("l") >= Size("m"), Size("m") <= Size("m"), Size("s") > Size("m"))
print([s.name for s in sorted(map(Size, "lsm"))])


class Lamp:
    on = False

    def set(self, value):
        self.on = value

    light = partialmethod(set, True)


lamp = Lamp()
lamp.light()
print(lamp.on)
