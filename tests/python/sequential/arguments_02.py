def f(a, b=2, *args, c, d=4, **rest):
    return a, b, args, c, d, sorted(rest.items())


print(f(1, c=3))
print(f(1, 5, 6, 7, c=3))
print(f(1, c=3, d=0, e=9))
print(f(*[1, 2, 3], **{"c": 4, "z": 5}))
print(f(c=1, a=0))
