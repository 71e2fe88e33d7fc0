def f(x):
    match x:
        case 0:
            return "zero"
        case 1 | 2 | 3:
            return "small"
        case -1:
            return "minus one"
        case "text":
            return "the text"
        case None:
            return "none"
        case True:
            return "true"
        case 1.5:
            return "float"
        case _:
            return "other"


print([f(v) for v in (0, 2, -1, "text", None, 1.5, 9, "no", False, 0.0, 1.0)])
