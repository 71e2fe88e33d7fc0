"""A broker: who has unsubscribed must not be called any more."""

import threading
from collections import defaultdict


class Broker:
    def __init__(self):
        self._lock = threading.RLock()
        self._topics = defaultdict(list)

    def subscribe(self, topic, handler):
        with self._lock:
            self._topics[topic].append(handler)

        def unsubscribe():
            with self._lock:
                self._topics[topic].remove(handler)

        return unsubscribe

    def publish(self, topic, message):
        with self._lock:
            handlers = tuple(self._topics[topic])
        for handler in handlers:
            handler(message)


class Session:
    def __init__(self, broker):
        self.open = True
        self.messages = []

        def on_message(message):
            assert self.open, f"{message!r} after the session was closed"
            self.messages.append(message)

        self._unsubscribe = broker.subscribe("prices", on_message)

    def close(self):
        self._unsubscribe()
        self.open = False


broker = Broker()
session = Session(broker)
feed = threading.Thread(target=broker.publish, args=("prices", 101), name="feed")
logout = threading.Thread(target=session.close, name="logout")
feed.start()
logout.start()
feed.join()
logout.join()
