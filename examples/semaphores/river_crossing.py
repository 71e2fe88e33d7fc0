"""River crossing: a boat takes four, but never three of one kind and one of the other."""

import threading

HACKERS = 2
SERFS = 2
SEATS = 4

mutex = threading.Semaphore(1)
barrier = threading.Barrier(SEATS)
waiting = {"hacker": 0, "serf": 0}
queues = {"hacker": threading.Semaphore(0), "serf": threading.Semaphore(0)}
boat = []
crossings = 0


def cross(kind):
    global crossings
    other = "serf" if kind == "hacker" else "hacker"
    is_captain = False
    mutex.acquire()
    waiting[kind] += 1
    if waiting[kind] == SEATS:
        queues[kind].release(SEATS)
        waiting[kind] = 0
        is_captain = True
    elif waiting[kind] == 2 and waiting[other] >= 2:
        queues[kind].release(2)
        queues[other].release(2)
        waiting[kind] -= 2
        waiting[other] -= 2
        is_captain = True
    else:
        mutex.release()
    queues[kind].acquire()
    boat.append(kind)
    barrier.wait()
    if is_captain:  # who still has the mutex, so that nobody else boards
        assert len(boat) == SEATS, "the boat leaves before all have boarded"
        assert boat.count("hacker") in {0, 2, 4}, "three against one"
        boat.clear()
        crossings += 1
        mutex.release()


threads = [threading.Thread(target=cross, args=("hacker",)) for _ in range(HACKERS)]
threads += [threading.Thread(target=cross, args=("serf",)) for _ in range(SERFS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert crossings == (HACKERS + SERFS) // SEATS
