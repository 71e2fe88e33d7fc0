"""Mutual exclusion with a semaphore: at most one thread is in the critical section."""

import threading

import assay

THREADS = 2

mutex = threading.Semaphore(1)
inside = [False] * THREADS


def work(number):
    with mutex:
        inside[number] = True
        inside[number] = False


assay.invariant(lambda: sum(inside) <= 1, name="one thread at most")
threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
