# verdict: bytecode=violated:assertion
s = {"a", "b"}
assert s.pop() == "a"
