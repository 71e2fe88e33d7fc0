"""`dict.__getitem__`, taken by itself, asks for what is missing as the brackets do."""

from urllib.parse import quote, urlencode


class M(dict):
    def __missing__(self, key):
        value = self[key] = str(key) * 2
        return value


class N(dict):
    def __getitem__(self, key):
        return ("N", super().__getitem__(key))

    def __missing__(self, key):
        return "none"


m = M(a="A")
get = m.__getitem__
print(get("a"), get("b"), m, dict.__getitem__(m, "c"), list(map(get, "xa")), m.get("q"))
n = N(k=1)
print(n["k"], n["z"], dict.__getitem__(n, "k"), dict.__getitem__(n, "y"), n.get("w"), len(n))
try:
    get([])
except TypeError as error:
    print(error)
try:
    get()
except TypeError as error:
    print(error)


class Raises(dict):
    def __missing__(self, key):
        raise LookupError(key)


try:
    Raises().__getitem__(1)
except LookupError as error:
    print(type(error), error)


class Own(dict):
    def __getitem__(self, key):
        try:
            return dict.__getitem__(self, key)
        except KeyError:
            return self.__missing__(key)

    def __missing__(self, key):
        raise KeyError(key)


try:
    Own()["x"]
except KeyError as error:
    print(error)
print(quote("a b/ü&"), urlencode({"a b": "ü", "c": [1, 2]}, doseq=True))


class Key:
    def __init__(self, n):
        self.n = n

    def __hash__(self):
        return hash(self.n)

    def __eq__(self, other):
        return self.n == other.n


print(n[Key(1)], N({Key(1): 5})[Key(1)])
