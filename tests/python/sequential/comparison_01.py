# chained
def f(x):
    print("f", x)
    return x


print(1 < 2 < 3, 1 < 3 < 2, 3 > 2 > 1 > 0)
print(f(1) < f(5) < f(3) < f(9))
one = 1
print(1 == 1.0 == True, one is True)
print(0 < 1 in [1, 2], "a" < "b" != "c")
print(1 < 2 > 1, (1 < 2) < 2)
print(None is None is not one)
