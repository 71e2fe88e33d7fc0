from enum import Enum, IntEnum, auto, unique


class Planet(Enum):
    EARTH = (5.97, 6.37)
    MARS = (0.64, 3.39)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius

    @property
    def density(self):
        return round(self.mass / self.radius**3, 4)

    @classmethod
    def heaviest(cls):
        return max(cls, key=lambda p: p.mass)


print(Planet.EARTH.mass, Planet.MARS.density, Planet.heaviest().name)


class Level(IntEnum):
    LOW = auto()
    HIGH = auto()


print(Level.LOW < Level.HIGH, Level.HIGH + 1, int(Level.LOW), sorted([Level.HIGH, Level.LOW])[0].name)
