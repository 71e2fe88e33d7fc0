# refused
from types import MappingProxyType

m = MappingProxyType({"x": 1})
assert m["x"] == 1
