# fails
import itertools

n = float("nan")
groups = itertools.groupby([n])
next(groups)
next(groups)
