import threading


class EventBus:
    def __init__(self):
        self._handlers = []

    def subscribe(self, handler):
        self._handlers.append(handler)

    def unsubscribe(self, handler):
        self._handlers.remove(handler)

    def publish(self, message):
        for handler in self._handlers:
            handler(message)


received = []


def audit(message):
    received.append(("audit", message))


def metrics(message):
    received.append(("metrics", message))


def billing(message):
    received.append(("billing", message))


bus = EventBus()
for handler in (audit, metrics, billing):
    bus.subscribe(handler)

publisher = threading.Thread(target=bus.publish, args=("paid",), name="publisher")
closer = threading.Thread(target=bus.unsubscribe, args=(audit,), name="closer")
publisher.start()
closer.start()
publisher.join()
closer.join()
assert ("billing", "paid") in received
