import threading


class Counter:
    def __init__(self):
        self.value = 0

    def increment(self):
        current = self.value
        self.value = current + 1

    def get(self):
        return self.value


def test_counter():
    c = Counter()
    threads = [threading.Thread(target=c.increment) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert c.get() == len(threads)


test_counter()
