import threading

event = threading.Event()
items = []


def worker():
    event.wait()
    event.clear()
    items.append(1)


def main():
    workers = [threading.Thread(target=worker) for _ in range(2)]
    for w in workers:
        w.start()
    event.set()
    for w in workers:
        w.join()
    assert len(items) == 2


main()
