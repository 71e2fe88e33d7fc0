# suppression
class Suppress:
    def __init__(self, *kinds):
        self.kinds = kinds

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return kind is not None and issubclass(kind, self.kinds)


with Suppress(ZeroDivisionError):
    1 / 0
print("after")
try:
    with Suppress(KeyError), Suppress(ValueError):
        {}[1]
    print("swallowed")
    with Suppress(KeyError):
        int("x")
except ValueError as error:
    print(error)
