def find(items, wanted):
    for i, x in enumerate(items):
        if x == wanted:
            print("found at", i)
            break
    else:
        print("no", wanted)


find([1, 2, 3], 2)
find([1, 2, 3], 5)
find([], 1)
for n in range(2, 12):
    for d in range(2, n):
        if n % d == 0:
            break
    else:
        print(n, "is prime")
