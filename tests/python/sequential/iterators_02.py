# iteration by __getitem__, and iter with a sentinel
class Squares:
    def __getitem__(self, i):
        if i >= 4:
            raise IndexError(i)
        return i * i


print(list(Squares()), 9 in Squares(), 5 in Squares())
values = [3, 2, 1, 0, 9]
print(list(iter(lambda: values.pop(0), 0)), values)
a, *b = Squares()
print(a, b)
