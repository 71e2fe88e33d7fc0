# refused
import itertools
import operator

assert repr(itertools.count(5)) != "count(5)"
assert operator.length_hint(iter([1, 2])) == 0
assert hasattr(itertools.permutations([1]), "send")
