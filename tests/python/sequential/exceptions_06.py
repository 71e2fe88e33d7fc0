# re-raising
def f(n):
    try:
        if n:
            raise ValueError(n)
        raise TypeError("t")
    except ValueError as error:
        print("first", error)
        raise


for n in (1, 0):
    try:
        f(n)
    except Exception as error:
        print("again", type(error).__name__, error)
try:
    raise
except RuntimeError as error:
    print(error)
saved = None
try:
    1 / 0
except ZeroDivisionError as error:
    saved = error
try:
    raise saved
except ZeroDivisionError as error:
    print(error is saved)
