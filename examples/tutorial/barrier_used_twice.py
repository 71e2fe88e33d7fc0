"""A barrier made of a counter and an event works once.

The event is never cleared, so in the second round nobody waits, and a thread can be a round ahead
of the others.
"""

import threading

THREADS = 2
ROUNDS = 2

lock = threading.Lock()
everybody_is_here = threading.Event()
arrived = 0
round_of = [0] * THREADS


def wait_for_the_others():
    global arrived
    with lock:
        arrived += 1
        if arrived == THREADS:
            everybody_is_here.set()
    everybody_is_here.wait()


def work(number):
    for done in range(1, ROUNDS + 1):
        round_of[number] = done
        wait_for_the_others()
        assert min(round_of) >= done, "somebody is left behind"


threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
