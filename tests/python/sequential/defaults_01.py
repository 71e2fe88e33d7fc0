def power(base, exponent=2):
    return base**exponent


print(power(3), power(3, 3), power(exponent=0, base=9))


def collect(item, into=[]):
    into.append(item)
    return into


print(collect(1))
print(collect(2))
print(collect(3, []))
print(collect(4))
