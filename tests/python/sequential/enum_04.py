from enum import Enum


class State(str, Enum):
    OPEN = "open"
    CLOSED = "closed"

    def opposite(self):
        return State.CLOSED if self is State.OPEN else State.OPEN

    def __str__(self):
        return self.value


print(State.OPEN == "open", State.OPEN.upper(), str(State.CLOSED), f"{State.OPEN}")
print(State.OPEN.opposite().opposite() is State.OPEN, isinstance(State.OPEN, str))
Dynamic = Enum("Dynamic", "A B C")
print([(d.name, d.value) for d in Dynamic], State("closed").name)
