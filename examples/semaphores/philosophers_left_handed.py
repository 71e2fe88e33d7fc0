"""Dining philosophers, one of whom is left-handed: no circle of waiting can close."""

import threading

import assay

PHILOSOPHERS = 3

forks = [threading.Semaphore(1) for _ in range(PHILOSOPHERS)]
eating = [False] * PHILOSOPHERS


def dine(seat):
    right, left = forks[seat], forks[(seat + 1) % PHILOSOPHERS]
    first, second = (left, right) if seat == 0 else (right, left)
    with first, second:
        eating[seat] = True
        eating[seat] = False


assay.invariant(lambda: sum(eating) <= PHILOSOPHERS // 2, name="there are forks for all who eat")
threads = [threading.Thread(target=dine, args=(seat,)) for seat in range(PHILOSOPHERS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
