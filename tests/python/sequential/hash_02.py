for value in ([], {}, set(), [1], ({},)):
    try:
        hash(value)
    except TypeError as error:
        print(error)
try:
    {[1]: 2}
except TypeError:
    print("no list as key")
print(hash(5), hash(-3), hash(2**61), hash(0), hash(True))
print({1: "a", 1.0: "b", True: "c"})
print({(1, (2, 3)): "nested"}[1, (2, 3)], {frozenset([1]): 1}[frozenset([1])])
