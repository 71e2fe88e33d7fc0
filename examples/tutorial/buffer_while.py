"""The buffer as it should be: who was woken looks again, `while` around `wait`."""

import threading

items = []
changed = threading.Condition()


def put(item):
    with changed:
        items.append(item)
        changed.notify_all()


def get():
    with changed:
        while not items:
            changed.wait()
        return items.pop()


consumers = [threading.Thread(target=get) for _ in range(2)]
for consumer in consumers:
    consumer.start()
put("first")
put("second")
for consumer in consumers:
    consumer.join()
assert not items
