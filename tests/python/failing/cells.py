"""A ring of cells: each one becomes the sum of itself and its left neighbour, in two phases."""

import threading

CELLS = 2
ROUNDS = 1
cells = [1, 10]
barrier = threading.Barrier(CELLS)
history = []


def step(index):
    left = cells[index - 1]
    own = cells[index]
    return left + own


def simulate(index):
    for _ in range(ROUNDS):
        value = step(index)
        cells[index] = value
        barrier.wait()
        if index == 0:
            history.append(list(cells))
        barrier.wait()


threads = []
for i in range(CELLS):
    threads.append(threading.Thread(target=simulate, args=(i,), name=f"cell-{i}"))
for t in threads:
    t.start()
for t in threads:
    t.join()
expected = [[11, 11]]
assert history == expected
