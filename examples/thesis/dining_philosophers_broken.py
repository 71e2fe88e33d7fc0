"""Dining philosophers, broken: every philosopher takes the left fork first.

When all have taken their left fork, each waits for the neighbour's: a deadlock.
"""

import threading

import assay

PHILOSOPHERS = 3  # in the thesis: 8

forks = [threading.Lock() for _ in range(PHILOSOPHERS)]
eating = [False] * PHILOSOPHERS


def no_two_neighbours_eat() -> bool:
    return not any(eating[seat] and eating[(seat + 1) % PHILOSOPHERS] for seat in range(PHILOSOPHERS))


def dine(seat):
    left, right = seat, (seat + 1) % PHILOSOPHERS
    while True:
        with forks[left], forks[right]:
            assert not eating[right], "the right neighbour uses the same fork"
            eating[seat] = True
            assert sum(eating) <= PHILOSOPHERS // 2, "there are not forks enough for so many"
            eating[seat] = False


def main():
    assay.invariant(no_two_neighbours_eat, name="no two neighbours eat")
    philosophers = [threading.Thread(target=dine, args=(seat,)) for seat in range(PHILOSOPHERS)]
    for philosopher in philosophers:
        philosopher.start()
    for philosopher in philosophers:
        philosopher.join()


if __name__ == "__main__":
    main()
