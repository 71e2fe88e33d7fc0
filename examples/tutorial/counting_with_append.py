"""`list.append` is one step, so counting by appending loses nothing, even without a lock."""

import threading

seen = []


def see():
    seen.append(1)
    seen.append(1)


threads = [threading.Thread(target=see) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(seen) == 4
