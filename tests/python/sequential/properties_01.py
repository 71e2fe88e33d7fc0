class Celsius:
    def __init__(self, degrees):
        self.degrees = degrees

    @property
    def fahrenheit(self):
        return self.degrees * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, value):
        self.degrees = (value - 32) * 5 / 9

    @property
    def kelvin(self):
        return self.degrees + 273


c = Celsius(100)
print(c.fahrenheit, c.kelvin)
c.fahrenheit = 32
print(c.degrees)
try:
    c.kelvin = 0
except AttributeError:
    print("read only")
