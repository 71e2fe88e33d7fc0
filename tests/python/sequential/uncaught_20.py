def g():
    yield 1
    raise RuntimeError("in a generator")


for x in g():
    print(x)
# ends with RuntimeError
