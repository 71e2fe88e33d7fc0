count = 0


def increment():
    global count
    count += 1


for _ in range(4):
    increment()
print(count)


def define():
    global fresh
    fresh = "made inside"


define()
print(fresh)
