"""A thread whose work is done still has its number, so that a new one gets another."""

import threading

seen = []


def worker():
    seen.append(threading.get_ident())


def watcher():
    if seen:
        assert threading.get_ident() == seen[0]


threads = [threading.Thread(target=target) for target in (worker, watcher)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
