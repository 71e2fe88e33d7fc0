# loop variables stay, targets of any kind
for i in range(3):
    pass
print(i)
for i in []:
    pass
print(i)
d = {}
for d["k"] in "ab":
    print(d)
box = [0]
for box[0] in range(2):
    print(box)
for (a, b), c in [((1, 2), 3), ("xy", "z")]:
    print(a, b, c)
for a, *b in [(1, 2, 3), "xyz"]:
    print(a, b)
