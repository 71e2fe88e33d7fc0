# raise from, __cause__, __context__
def f():
    try:
        int("x")
    except ValueError as error:
        raise KeyError("outer") from error


try:
    f()
except KeyError as error:
    print(repr(error), "from", repr(error.__cause__), error.__suppress_context__)
try:
    try:
        1 / 0
    except ZeroDivisionError:
        [][0]
except IndexError as error:
    print(repr(error.__context__), error.__cause__)
try:
    try:
        1 / 0
    except ZeroDivisionError:
        raise ValueError("no cause") from None
except ValueError as error:
    print(error.__cause__, error.__suppress_context__, repr(error.__context__))
