# abstract by convention, template method, mixin
class Shape:
    def area(self):
        raise NotImplementedError

    def describe(self):
        return f"{type(self).__name__.lower()} of area {self.area()}"


class Sized:
    def __len__(self):
        return self.area()


class Square(Sized, Shape):
    def __init__(self, side):
        self.side = side

    def area(self):
        return self.side**2


print(Square(3).describe(), len(Square(2)))
try:
    Shape().describe()
except NotImplementedError as error:
    print("abstract", error.args)
