# captures, as, guards, nesting, value patterns
class Colour:
    RED = 1
    BLUE = 2


def f(x):
    match x:
        case Colour.RED:
            return "red"
        case (Colour.BLUE | 3) as n:
            return f"blue or three: {n}"
        case [("go" | "walk") as verb, direction]:
            return f"{verb} {direction}"
        case {"pos": [x, y], "name": str(name)} if x < y:
            return f"{name} at {x},{y}"
        case [[a, [b]], {"k": c}]:
            return a, b, c
        case other if isinstance(other, int) and other > 100:
            return "big"
    return "nothing"


print(f(1), f(2), f(3), f(["go", "north"]), f(["run", "x"]))
print(
    f({"pos": (1, 2), "name": "p"}),
    f({"pos": (2, 1), "name": "p"}),
    f([[1, [2]], {"k": 3, "z": 4}]),
    f(500),
    f(50),
)
