"""Reusable barrier: two turnstiles, one of which is closed at any time."""

import threading

THREADS = 2
ROUNDS = 2

mutex = threading.Lock()
arrived = 0
first_turnstile = threading.Semaphore(0)
second_turnstile = threading.Semaphore(1)
round_of = [0] * THREADS


def come_together():
    global arrived
    with mutex:
        arrived += 1
        if arrived == THREADS:
            second_turnstile.acquire()
            first_turnstile.release()
    first_turnstile.acquire()
    first_turnstile.release()


def part():
    global arrived
    with mutex:
        arrived -= 1
        if arrived == 0:
            first_turnstile.acquire()
            second_turnstile.release()
    second_turnstile.acquire()
    second_turnstile.release()


def work(number):
    for done in range(1, ROUNDS + 1):
        round_of[number] = done
        come_together()
        assert round_of == [done] * THREADS, "somebody is ahead or behind"
        part()


threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
