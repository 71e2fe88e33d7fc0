# sequences
def f(x):
    match x:
        case []:
            return "empty"
        case [a]:
            return f"one {a}"
        case [a, b]:
            return f"two {a} {b}"
        case [1, *rest]:
            return f"one and {rest}"
        case [first, *_, last]:
            return f"{first} to {last}"


print(f([]), f((5,)), f([1, 2]), f([1, 2, 3]), f((7, 8, 9, 10)), f(range(3)))
print(f("ab"), f({1, 2}), f(5))
