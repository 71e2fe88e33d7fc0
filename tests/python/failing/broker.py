import threading


class Broker:
    def __init__(self):
        self.lock = threading.Lock()
        self.subscribers = {}
        self.delivered = 0

    def subscribe(self, topic, callback):
        with self.lock:
            self.subscribers.setdefault(topic, []).append(callback)

    def publish(self, topic, message):
        with self.lock:
            callbacks = list(self.subscribers.get(topic, []))
        for callback in callbacks:
            callback(message)
            self.delivered += 1


def main():
    broker = Broker()
    seen = []

    def on_news(message):
        with broker.lock:

            def keep(text):
                seen.append(text)

            keep(message)

    broker.subscribe("news", on_news)

    def reporter(name):
        broker.publish("news", f"from {name}")

    threads = [threading.Thread(target=reporter, args=(n,)) for n in ("ann", "bo")]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert broker.delivered == 2, f"delivered {broker.delivered} of {len(seen)}"


main()
