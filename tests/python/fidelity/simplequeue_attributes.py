# fails
import itertools

c = itertools.count()
c.x = 1
