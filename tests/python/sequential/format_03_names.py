"""Texts with names in them, from the attributes of an instance."""


class Named:
    def __init__(self):
        self.name = "n"
        self.size = 3


print("%(name)s=%(size)03d%%" % vars(Named()))
print("%(name)r" % Named().__dict__)
try:
    print("%(nobody)s" % vars(Named()))
except KeyError as problem:
    print(repr(problem))
