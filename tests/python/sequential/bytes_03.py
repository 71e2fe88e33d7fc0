"""What `bytes` and `bytearray` ask an object for: `__bytes__`, then a size, then its items."""


def told(function, *arguments):
    try:
        print(function(*arguments))
    except Exception as error:
        print(type(error).__name__, error)


class Items:
    def __iter__(self):
        return iter([1, 2])

    def __len__(self):
        return 2


class Own(Items):
    def __bytes__(self):
        return b"own"


class Sized(Items):
    def __index__(self):
        return 3


class Both(Sized, Own):
    pass


class Wrong(Items):
    def __bytes__(self):
        return "text"


class Odd(Items):
    def __index__(self):
        return "text"


class Text(str):
    def __iter__(self):
        return iter([1])


class Data(bytes):
    def __iter__(self):
        return iter([1])


for kind in (Items, Own, Sized, Both, Wrong, Odd, Text, Data):
    print(kind.__name__)
    told(bytes, kind())
    told(bytearray, kind())
told(bytes, Text("a"), "utf-8")
told(bytes, Data(b"abc"))
told(bytearray, Data(b"abc"))
