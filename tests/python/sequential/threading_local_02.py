import threading

made = []


class Data(threading.local):
    rate = 5
    __slots__ = ("shared",)

    def __init__(self, start=1):
        made.append(start)
        self.items = [start]

    @property
    def total(self):
        return sum(self.items)

    @total.setter
    def total(self, value):
        self.items[:] = [value]

    def size(self):
        return 3


def tell(call):
    try:
        print(call())
    except AttributeError as problem:
        print("AttributeError:", problem)


data = Data(3)
data.shared = 7


def look():
    print(data.size(), made)
    data.rate += 1
    data.total += 1
    print(data.items, data.rate, data.total, data.shared, data.__dict__, sorted(vars(data)))
    del data.rate
    print(data.rate)
    tell(lambda: delattr(data, "rate"))
    tell(lambda: delattr(data, "total"))
    tell(lambda: data.missing)
    tell(lambda: setattr(data, "__dict__", {}))
    print(hasattr(data, "missing"), getattr(data, "missing", 4), data.__class__, isinstance(data, Data))
    data.__dict__["stored"] = 1
    data.__dict__.update(total=99)
    print(data.stored, data.total)


for _ in range(2):
    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
print(data.items, data.rate, data.__dict__, made)


class Generous(threading.local):
    def __getattr__(self, name):
        return "made " + name


generous = Generous()
generous.a = 1
print(generous.a, generous.b)

plain = threading.local()
tell(lambda: plain.x)
plain.x = 1
print(plain.x, plain.__dict__, vars(plain), "x" in dir(plain))
plain.__dict__.clear()
tell(lambda: delattr(plain, "x"))
