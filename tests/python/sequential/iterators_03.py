# what iter gives
it = iter([1, 2, 3])
print(next(it))
for x in it:
    print("rest", x)
print(list(it))
print(list(iter("ab")), list(iter({"k": 1})), list(iter((1, 2))), list(iter(range(2))))
for bad in (3, None, len):
    try:
        iter(bad)
    except TypeError as error:
        print(error)
