"""Santa Claus, broken: the last reindeer wakes him before it has been counted."""

import threading

REINDEER = 2

mutex = threading.Lock()
santa = threading.Semaphore(0)
reindeer = 0
hitched = threading.Semaphore(0)


def be_santa():
    santa.acquire()
    with mutex:
        assert reindeer == REINDEER, "woken for nothing"
    hitched.release(REINDEER)


def be_reindeer():
    global reindeer
    with mutex:
        is_last = reindeer == REINDEER - 1
    if is_last:
        santa.release()
    with mutex:
        reindeer += 1
    hitched.acquire()


threading.Thread(target=be_santa, name="santa", daemon=True).start()
threads = [threading.Thread(target=be_reindeer) for _ in range(REINDEER)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
