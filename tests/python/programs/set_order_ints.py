# verdict: bytecode=violated:assertion
numbers = {3, 1, 2}
assert sorted(numbers) == [1, 2, 3] and min(numbers) == 1
numbers.discard(1)
assert next(iter(numbers)) == 2
