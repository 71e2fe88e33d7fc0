# verdict: bytecode=violated:assertion
names = {8, 1}
assert list(names) == [1, 8]
