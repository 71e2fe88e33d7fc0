# verdict: bytecode=verified
names = {3, 1, 2}
assert list(names) == [1, 2, 3]
assert sorted({"x", "y", "z"}) == ["x", "y", "z"]
