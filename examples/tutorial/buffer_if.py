"""A buffer whose consumers look once before they take: `if` around `wait`.

One item wakes two consumers. The first takes it; the second does not look again and takes from an
empty list.
"""

import threading

items = []
changed = threading.Condition()


def put(item):
    with changed:
        items.append(item)
        changed.notify_all()


def get():
    with changed:
        if not items:
            changed.wait()
        return items.pop()


consumers = [threading.Thread(target=get) for _ in range(2)]
for consumer in consumers:
    consumer.start()
put("first")
put("second")
for consumer in consumers:
    consumer.join()
