# return, break and continue in finally
def a():
    try:
        return "try"
    finally:
        return "finally"


def b():
    try:
        raise ValueError
    finally:
        return "swallowed"


def c():
    for i in range(3):
        try:
            continue
        finally:
            print("f", i)
    return "end"


def d():
    while True:
        try:
            return 1
        finally:
            break
    return 2


def e():
    x = 1
    try:
        return x
    finally:
        x = 2


print(a(), b(), c(), d(), e())
