"""The same with `wait_for`, which looks again by itself."""

import threading

items = []
changed = threading.Condition()


def put(item):
    with changed:
        items.append(item)
        changed.notify()


def get():
    with changed:
        changed.wait_for(lambda: items)
        return items.pop()


consumers = [threading.Thread(target=get) for _ in range(2)]
for consumer in consumers:
    consumer.start()
put("first")
put("second")
for consumer in consumers:
    consumer.join()
assert not items
