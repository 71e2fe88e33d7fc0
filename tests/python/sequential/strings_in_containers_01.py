print(["a", 'b"', "c'"], ("x",), {"k": "v"}, {"only"})
print([None, True, 1.0, b"x", (), [], {}], [["nested", ("t", 1)]])
print(str(["a"]), repr("a"), f"{['a']}", "%s" % ["a"], "{}".format(("a",)))


class R:
    def __repr__(self):
        return "R()"

    def __str__(self):
        return "str"


print(R(), [R()], {R.__name__: R()}, (R(),), f"{R()}", f"{R()!r}")
