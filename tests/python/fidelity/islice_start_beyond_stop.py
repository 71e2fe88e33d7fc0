# fails
import itertools

it = iter(range(10))
list(itertools.islice(it, 5, 2))
assert next(it) == 2
