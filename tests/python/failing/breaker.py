import enum
import threading


class State(enum.Enum):
    CLOSED = 1
    OPEN = 2
    HALF_OPEN = 3


class Breaker:
    def __init__(self):
        self.state = State.OPEN
        self.probes = 0

    def allow(self):
        if self.state is State.OPEN:
            self.state = State.HALF_OPEN
            return True
        return False

    def call(self, action):
        if self.allow():
            self.probes += 1
            action()
            self.state = State.CLOSED


breaker = Breaker()
calls = []


def request(name):
    breaker.call(lambda: calls.append(name))


clients = [threading.Thread(target=request, args=(name,), name=name) for name in ("red", "blue")]
for client in clients:
    client.start()
for client in clients:
    client.join()
assert len(calls) == 1, calls
