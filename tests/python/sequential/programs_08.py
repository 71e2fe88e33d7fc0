# observers and bound methods
class Subject:
    def __init__(self):
        self.observers = []

    def attach(self, observer):
        self.observers.append(observer)
        return lambda: self.observers.remove(observer)

    def emit(self, *args, **kwargs):
        for observer in list(self.observers):
            observer(*args, **kwargs)


class Logger:
    def __init__(self):
        self.seen = []

    def note(self, what, times=1):
        self.seen.append(what * times)


s, log = Subject(), Logger()
detach = s.attach(log.note)
s.attach(lambda what, **k: print("lambda", what, k))
s.emit("a")
s.emit("b", times=2)
detach()
s.emit("c")
print(log.seen)
