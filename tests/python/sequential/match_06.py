# names that were bound stay; guards with side effects; no match falls through
log = []


def check(v):
    log.append(v)
    return v > 2


for value in ([1, 2], [3, 4], "none"):
    match value:
        case [a, b] if check(a):
            print("guarded", a, b)
        case [a, _]:
            print("plain", a)
print(log, a)
match (1, 2):
    case (x, y):
        print(x + y)
match 5:
    case 6:
        print("no")
print("after")
