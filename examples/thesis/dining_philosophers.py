"""Dining philosophers: nobody eats beside somebody who eats, and nobody starves in a circle.

Every philosopher takes the fork with the smaller number first, so the last one reaches to the
other side than his neighbours and no circle of waiting can close. They dine for ever.
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
    first, second = min(left, right), max(left, right)
    while True:
        with forks[first], forks[second]:
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
