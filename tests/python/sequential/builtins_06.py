# type conversions that fail
def show(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__, error)


show(lambda: int("1.5"))
show(lambda: int(""))
show(lambda: int("12", 2))
show(lambda: float(""))
show(lambda: int(None))
show(lambda: int([]))
show(lambda: float([]))
show(lambda: chr(-1))
show(lambda: ord("ab"))
show(lambda: list(None))
show(lambda: tuple(5))
show(lambda: set([[]]))
show(lambda: dict(5))
show(lambda: bytes([256]))
show(lambda: round("a"))
show(lambda: abs("a"))
show(lambda: isinstance(1, 5))
