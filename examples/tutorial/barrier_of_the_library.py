"""`threading.Barrier` can be used again and again."""

import threading

THREADS = 2
ROUNDS = 2

barrier = threading.Barrier(THREADS)
round_of = [0] * THREADS


def work(number):
    for done in range(1, ROUNDS + 1):
        round_of[number] = done
        barrier.wait()
        assert min(round_of) >= done, "somebody is left behind"


threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
