# verdict: gil=violated:assertion
import threading
from collections import defaultdict


class EventBus:
    def __init__(self):
        self.subscribers = defaultdict(list)

    def subscribe(self, topic, fn):
        self.subscribers[topic].append(fn)

    def unsubscribe(self, topic, fn):
        self.subscribers[topic].remove(fn)

    def publish(self, topic, message):
        for fn in self.subscribers[topic]:
            fn(message)


bus = EventBus()
got_a, got_b = [], []


def a(m):
    got_a.append(m)


def b(m):
    got_b.append(m)


bus.subscribe("news", a)
bus.subscribe("news", b)
t1 = threading.Thread(target=bus.publish, args=("news", "hello"))
t2 = threading.Thread(target=bus.unsubscribe, args=("news", a))
t1.start()
t2.start()
t1.join()
t2.join()
assert got_b == ["hello"], "b never unsubscribed"
