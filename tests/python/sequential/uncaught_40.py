def check(value):
    if value < 0:
        raise ValueError(f"negative: {value}")
    return value**0.5


print(check(4))
print([check(v) for v in (9, -1)])
# ends with ValueError
