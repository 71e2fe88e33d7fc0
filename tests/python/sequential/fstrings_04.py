# __format__, __str__, __repr__ of one's own
class Money:
    def __init__(self, cents):
        self.cents = cents

    def __format__(self, spec):
        return f"{self.cents / 100:.2f}{spec or ' EUR'}"

    def __str__(self):
        return "str"

    def __repr__(self):
        return "repr"


m = Money(1234)
print(f"{m} {m: USD} {m!r} {m!s:>6} {[m]}")
print("{} {!r} {:x}".format(m, m, 255), format(m, "!"), str(m), repr(m))
print("%s %r" % (m, m))
