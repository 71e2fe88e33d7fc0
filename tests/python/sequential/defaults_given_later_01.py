# defaults of named tuples that are given after the class, entries in the dict of a function, views that are released
from collections import namedtuple

Point = namedtuple("Point", "x y")
Point.__new__.__defaults__ = (None,) * len(Point._fields)
print(Point(), Point(1), Point.__new__.__defaults__, Point._field_defaults)


class Named(namedtuple("Named", ["name", "size"])):
    pass


Named.__new__.__defaults__ = (7,)
print(Named("a"), Named("a", 2)._replace(size=3))
try:
    Named()
except TypeError as error:
    print(error)


class Caller:
    level = 1


def function():
    """Says nothing."""


function.__dict__.update(Caller.__dict__)
print(function.__module__, function.__dict__["__module__"], function.level, function.__doc__)
function.__dict__["__name__"] = "other"
print(function.__name__, function.__dict__["__name__"], sorted(function.__dict__)[:2])
del function.__dict__["__name__"]
print("__name__" in function.__dict__)
function.__module__ = "elsewhere"
print(function.__module__, function.__dict__["__module__"])

view = memoryview(b"abc")
kept = bytearray(view)
view.release()
try:
    view[0]
except ValueError as error:
    print(error, kept)
with memoryview(kept) as other:
    other[0] = 122
print(kept)
