"""Barrier, broken: who waits at the turnstile keeps the mutex, so nobody else can arrive."""

import threading

THREADS = 2

mutex = threading.Lock()
arrived = 0
turnstile = threading.Semaphore(0)


def meet():
    global arrived
    with mutex:
        arrived += 1
        if arrived == THREADS:
            turnstile.release()
        turnstile.acquire()
        turnstile.release()


threads = [threading.Thread(target=meet) for _ in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
