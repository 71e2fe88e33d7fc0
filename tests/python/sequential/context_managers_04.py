# exceptions in __enter__ and __exit__, order of exits
class C:
    def __init__(self, name, enter=None, leave=None):
        self.name, self.enter, self.leave = name, enter, leave

    def __enter__(self):
        print("enter", self.name)
        if self.enter:
            raise self.enter
        return self

    def __exit__(self, kind, value, trace):
        print("exit", self.name, kind and kind.__name__)
        if self.leave:
            raise self.leave


try:
    with C("a"), C("b", enter=ValueError("enter")):
        print("body")
except ValueError as error:
    print("caught", error)
try:
    with C("a"), C("b", leave=KeyError("leave")):
        raise ValueError("body")
except KeyError as error:
    print("caught", error, repr(error.__context__))
