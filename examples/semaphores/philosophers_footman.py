"""Dining philosophers with a footman who lets all but one sit down."""

import threading

import assay

PHILOSOPHERS = 3

forks = [threading.Semaphore(1) for _ in range(PHILOSOPHERS)]
footman = threading.Semaphore(PHILOSOPHERS - 1)
eating = [False] * PHILOSOPHERS


def dine(seat):
    with footman, forks[seat], forks[(seat + 1) % PHILOSOPHERS]:
        eating[seat] = True
        eating[seat] = False


assay.invariant(lambda: sum(eating) <= PHILOSOPHERS // 2, name="there are forks for all who eat")
threads = [threading.Thread(target=dine, args=(seat,)) for seat in range(PHILOSOPHERS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
