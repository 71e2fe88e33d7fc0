# verdict: bytecode=violated:assertion
names = {"b", "a", "c"}
assert list(names) == ["a", "b", "c"]
