"""Multiplex, broken: whether there is room is asked in one step and used in another."""

import threading

import assay

THREADS = 2
LIMIT = 1

mutex = threading.Lock()
inside = 0


def visit():
    global inside
    while True:
        with mutex:
            room_left = inside < LIMIT
        if room_left:
            break
    with mutex:
        inside += 1
    with mutex:
        inside -= 1


assay.invariant(lambda: inside <= LIMIT, name="the room is not too full")
threads = [threading.Thread(target=visit) for _ in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
