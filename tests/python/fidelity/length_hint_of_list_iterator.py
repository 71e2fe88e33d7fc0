# refused
import operator

assert operator.length_hint(iter([1, 2])) == 0
