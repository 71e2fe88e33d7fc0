class Room:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        print("enter", self.name)
        return self.name.upper()

    def __exit__(self, kind, value, trace):
        print("exit", self.name, kind.__name__ if kind else None, value)
        return False


with Room("a") as a:
    print("in", a)
with Room("a") as a, Room("b") as b:
    print(a, b)
try:
    with Room("c"):
        raise ValueError("oops")
except ValueError as error:
    print("caught", error)
