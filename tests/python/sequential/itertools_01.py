from itertools import chain, count, cycle, islice, repeat

print(list(chain([1], "ab", range(2))), list(chain.from_iterable([[1, 2], [3]])))
print(list(islice(count(5), 3)), list(islice(count(1, 0.5), 3)), list(islice("abcdef", 1, 5, 2)))
print(list(islice(cycle("ab"), 5)), list(repeat("x", 3)), list(map(pow, [2, 3], repeat(2))))
it = iter(range(10))
print(list(islice(it, 2)), next(it), list(islice(it, 3, None)))
print(list(zip(count(), "abc")))
