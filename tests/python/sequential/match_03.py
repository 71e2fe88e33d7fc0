# mappings
def f(x):
    match x:
        case {"type": "circle", "r": r}:
            return f"circle {r}"
        case {"type": "box", "w": w, "h": h, **rest}:
            return f"box {w}x{h} {rest}"
        case {"type": kind}:
            return f"unknown {kind}"
        case {}:
            return "some mapping"
        case _:
            return "no mapping"


print(f({"type": "circle", "r": 3}), f({"type": "circle"}))
print(f({"type": "box", "w": 1, "h": 2, "c": 4}), f({"type": "box", "w": 1, "h": 2}))
print(f({}), f({"a": 1}), f([]))
