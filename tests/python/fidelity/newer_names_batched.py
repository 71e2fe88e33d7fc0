# fails
import itertools

assert list(itertools.batched("AB", 1))
