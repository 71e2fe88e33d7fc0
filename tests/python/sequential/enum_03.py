from enum import Enum, Flag, auto


class Shape(Enum):
    SQUARE = "sq"
    BOX = "sq"
    ROUND = "rd"


print(Shape.BOX is Shape.SQUARE, [s.name for s in Shape], sorted(Shape.__members__))


class Perm(Flag):
    R = auto()
    W = auto()
    X = auto()


rw = Perm.R | Perm.W
print(
    rw.value, Perm.R in rw, Perm.X in rw, (rw & Perm.W) is Perm.W, (rw ^ Perm.R).name, bool(Perm.R & Perm.X)
)
try:
    Shape.SQUARE = 1
except AttributeError:
    print("cannot reassign")
match Shape.ROUND:
    case Shape.SQUARE:
        print("square")
    case Shape.ROUND:
        print("round")
