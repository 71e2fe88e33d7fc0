"""Reusable barrier, broken: with one turnstile, a fast thread laps the others and is let through."""

import threading

THREADS = 2
ROUNDS = 2

mutex = threading.Lock()
arrived = 0
turnstile = threading.Semaphore(0)
round_of = [0] * THREADS


def meet():
    global arrived
    with mutex:
        arrived += 1
        if arrived == THREADS:
            turnstile.release()
    turnstile.acquire()
    turnstile.release()
    with mutex:
        arrived -= 1
        if arrived == 0:
            turnstile.acquire()


def work(number):
    for done in range(1, ROUNDS + 1):
        round_of[number] = done
        meet()
        assert min(round_of) >= done, "somebody is left behind"


threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
