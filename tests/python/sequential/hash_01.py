# equality and hash of one's own
class Key:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __eq__(self, other):
        return isinstance(other, Key) and (self.a, self.b) == (other.a, other.b)

    def __hash__(self):
        return hash((self.a, self.b))


d = {Key(1, 2): "x"}
print(d[Key(1, 2)], Key(2, 1) in d, len({Key(1, 1), Key(1, 1), Key(1, 2)}))


class NoHash:
    def __eq__(self, other):
        return True


try:
    {NoHash(): 1}
except TypeError as error:
    print(error)
print(hash(1) == hash(1.0) == hash(True), hash((1, 2)) == hash((1, 2)))
