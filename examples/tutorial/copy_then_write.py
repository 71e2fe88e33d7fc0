"""Two threads each write a new list made from the old one: one of the additions is lost."""

import threading

names = ()


def add(name):
    global names
    names = (*names, name)


threads = [threading.Thread(target=add, args=(name,)) for name in ("ann", "bob")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sorted(names) == ["ann", "bob"], f"only {names} are left"
