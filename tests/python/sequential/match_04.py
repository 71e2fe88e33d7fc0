# classes
class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y


def f(p):
    match p:
        case Point(0, 0):
            return "origin"
        case Point(x=0, y=y):
            return f"on y at {y}"
        case Point(x, 0):
            return f"on x at {x}"
        case Point(x, y) if x == y:
            return f"diagonal {x}"
        case Point():
            return "a point"
        case int(n):
            return f"int {n}"
        case str() | bytes():
            return "text"
        case list([a, *_]):
            return f"list from {a}"
        case float():
            return "float"


print(
    [
        f(v)
        for v in (
            Point(0, 0),
            Point(0, 5),
            Point(3, 0),
            Point(2, 2),
            Point(1, 2),
            7,
            "s",
            b"b",
            [9, 8],
            1.5,
            [],
            True,
        )
    ]
)
