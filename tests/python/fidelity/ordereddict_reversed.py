# refused
from collections import OrderedDict

o = OrderedDict(a=1, b=2)
o.move_to_end("a")
assert list(reversed(o)) == ["b", "a"]
