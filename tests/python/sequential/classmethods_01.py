class Date:
    def __init__(self, y, m, d):
        self.parts = (y, m, d)

    @classmethod
    def parse(cls, text):
        return cls(*map(int, text.split("-")))

    @staticmethod
    def is_leap(y):
        return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)

    def __repr__(self):
        return f"{type(self).__name__}{self.parts}"


class Special(Date):
    pass


print(Date.parse("2024-02-29"), Special.parse("2023-01-01"))
print(Date.is_leap(1900), Date.is_leap(2000), Special.is_leap(2024), Date(1, 1, 1).is_leap(5))
print(Date(1, 2, 3).parse("4-5-6"))
