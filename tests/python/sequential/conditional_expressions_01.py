def sign(n):
    return "neg" if n < 0 else "zero" if n == 0 else "pos"


print([sign(n) for n in (-2, 0, 7)])
print((1 if True else 2) + (3 if False else 4), [1, 2] if [] else [3], "x" * (2 if 1 else 0))
a = None
print(a or "default", a if a is not None else "other", (a and a.x) is None)
print({True: "yes", False: "no"}[1 > 0], ("no", "yes")[1 > 0])
f = (lambda: "lazy") if a is None else 1 / 0
print(f())
