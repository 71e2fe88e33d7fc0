"""Dining philosophers with states: a hungry one eats as soon as neither neighbour does.

Nobody holds one fork and waits for the other, so there is no deadlock. Two neighbours who take turns
can starve the one between them; that is no safety property, and nothing is reported.
"""

import enum
import threading

import assay

PHILOSOPHERS = 3


class Mood(enum.Enum):
    THINKING = "thinking"
    HUNGRY = "hungry"
    EATING = "eating"


mutex = threading.Lock()
moods = [Mood.THINKING] * PHILOSOPHERS
may_eat = [threading.Semaphore(0) for _ in range(PHILOSOPHERS)]


def left(seat):
    return (seat - 1) % PHILOSOPHERS


def right(seat):
    return (seat + 1) % PHILOSOPHERS


def let_eat(seat):
    if moods[seat] is Mood.HUNGRY and Mood.EATING not in {moods[left(seat)], moods[right(seat)]}:
        moods[seat] = Mood.EATING
        may_eat[seat].release()


def dine(seat):
    with mutex:
        moods[seat] = Mood.HUNGRY
        let_eat(seat)
    may_eat[seat].acquire()
    assert moods[seat] is Mood.EATING
    with mutex:
        moods[seat] = Mood.THINKING
        let_eat(left(seat))
        let_eat(right(seat))


assay.invariant(
    lambda: not any(moods[seat] is moods[right(seat)] is Mood.EATING for seat in range(PHILOSOPHERS)),
    name="no two neighbours eat",
)
threads = [threading.Thread(target=dine, args=(seat,)) for seat in range(PHILOSOPHERS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
