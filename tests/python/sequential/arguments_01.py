def show(*args, **kwargs):
    return args, sorted(kwargs.items())


print(show())
print(show(1, 2))
print(show(a=1, b=2))
print(show(1, *[2, 3], b=4, **{"c": 5}))
print(show(*(), **{}))
print(show(*"ab", *range(2), x=1, **{"y": 2}, **{"z": 3}))
