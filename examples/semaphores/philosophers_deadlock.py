"""Dining philosophers, broken: everybody takes the right fork, then waits for the left one."""

import threading

PHILOSOPHERS = 3

forks = [threading.Semaphore(1) for _ in range(PHILOSOPHERS)]


def dine(seat):
    with forks[seat], forks[(seat + 1) % PHILOSOPHERS]:
        pass


threads = [threading.Thread(target=dine, args=(seat,)) for seat in range(PHILOSOPHERS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
