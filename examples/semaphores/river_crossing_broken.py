"""River crossing, broken: the captain does not wait for the others to board."""

import threading

SEATS = 2

mutex = threading.Lock()
waiting = 0
queue = threading.Semaphore(0)
boat = []


def cross(passenger):
    global waiting
    with mutex:
        waiting += 1
        is_captain = waiting == SEATS
        if is_captain:
            queue.release(SEATS)
            waiting = 0
    queue.acquire()
    boat.append(passenger)
    if is_captain:
        assert len(boat) == SEATS, "the boat leaves before all have boarded"


threads = [threading.Thread(target=cross, args=(passenger,)) for passenger in range(SEATS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
