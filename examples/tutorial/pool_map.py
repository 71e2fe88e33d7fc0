"""A pool of workers maps a function; results come in the order of the arguments, whoever is first."""

from concurrent.futures import ThreadPoolExecutor

with ThreadPoolExecutor(max_workers=2) as pool:
    squares = list(pool.map(lambda number: number * number, [3, 2]))
assert squares == [9, 4]
