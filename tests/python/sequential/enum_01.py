from enum import Enum


class Colour(Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


print(Colour.RED, repr(Colour.GREEN), Colour.BLUE.name, Colour.BLUE.value)
print(Colour(2), Colour["RED"], Colour.RED is Colour(1), Colour.RED == 1)
print([c.name for c in Colour], len(Colour), Colour.RED in Colour)
print({Colour.RED: "r"}[Colour.RED])
try:
    Colour(9)
except ValueError as error:
    print(error)
try:
    Colour["PINK"]
except KeyError as error:
    print(error)
