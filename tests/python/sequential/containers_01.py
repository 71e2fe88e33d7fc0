# a container of one's own
class Grid:
    def __init__(self, w, h):
        self.w, self.h = w, h
        self.cells = {}

    def __getitem__(self, at):
        x, y = at
        if not (0 <= x < self.w and 0 <= y < self.h):
            raise IndexError(at)
        return self.cells.get(at, ".")

    def __setitem__(self, at, v):
        self.cells[at] = v

    def __delitem__(self, at):
        del self.cells[at]

    def __len__(self):
        return self.w * self.h

    def __contains__(self, v):
        return v in self.cells.values()

    def __iter__(self):
        return iter(sorted(self.cells))

    def __bool__(self):
        return bool(self.cells)


g = Grid(2, 2)
print(bool(g), len(g), g[0, 0])
g[1, 1] = "x"
g[0, 1] = "y"
print(g[1, 1], "x" in g, "z" in g, list(g), bool(g))
del g[1, 1]
print(list(g))
try:
    g[5, 5]
except IndexError as error:
    print("IndexError", error)
