# fails
import itertools

(t,) = itertools.tee([1, 2, 3, 4], 1)
a, b = itertools.tee(t)
next(a)
assert next(t) == 1
