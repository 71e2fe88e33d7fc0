# order of evaluation of arguments
def note(x):
    print("eval", x)
    return x


def f(*args, **kwargs):
    return len(args), sorted(kwargs)


print(f(note(1), note(2), k=note(3), *[note(4)], m=note(5)))
print(note(1) + note(2) * note(3))
d = {note("k"): note("v"), note("k2"): note("v2")}
print(list(d))
