# targets of every kind, nesting, the same manager twice
class Give:
    def __init__(self, v):
        self.v = v

    def __enter__(self):
        return self.v

    def __exit__(self, *args):
        pass


with Give((1, (2, 3))) as (a, (b, c)):
    print(a, b, c)
d = {}
with Give(5) as d["k"]:
    print(d)
with (
    Give(1) as x,
    Give(x + 1) as y,
):
    print(x, y)
g = Give("same")
with g as p, g as q:
    print(p, q)
try:
    with 5:
        pass
except (TypeError, AttributeError):
    print("not a context manager")
