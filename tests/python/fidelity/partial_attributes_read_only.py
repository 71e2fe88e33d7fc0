# fails
from functools import partial

p = partial(int, base=2)
p.func = len
