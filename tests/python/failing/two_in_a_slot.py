import threading


class Provider:
    __slots__ = ("factory", "instance")

    def __init__(self, factory):
        self.factory = factory
        self.instance = None

    def __call__(self):
        if self.instance is None:
            self.instance = self.factory()
        return self.instance


class Service:
    pass


provider = Provider(Service)
got = []


def work():
    got.append(provider())


threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert got[0] is got[1]
