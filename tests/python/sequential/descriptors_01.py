class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner):
        if instance is None:
            return self
        return getattr(instance, self.name, 0)

    def __set__(self, instance, value):
        if value <= 0:
            raise ValueError("must be positive")
        setattr(instance, self.name, value)


class Box:
    width = Positive()
    height = Positive()


b = Box()
print(b.width)
b.width = 3
b.height = 4
print(b.width * b.height, type(Box.width).__name__)
try:
    b.width = 0
except ValueError as error:
    print(error, b.width)
