from collections import ChainMap, OrderedDict

o = OrderedDict([("a", 1), ("b", 2), ("c", 3)])
o.move_to_end("a")
print(list(o), o.popitem(last=False), list(o))
o.move_to_end("a", last=False)
print(list(o.items()), OrderedDict(a=1, b=2) == OrderedDict(b=2, a=1), OrderedDict(a=1) == {"a": 1})
m = ChainMap({"a": 1}, {"a": 2, "b": 3})
print(m["a"], m["b"], sorted(m), m.get("z"))
m["b"] = 9
print(m.maps)
