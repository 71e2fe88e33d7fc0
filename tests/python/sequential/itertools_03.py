from itertools import accumulate, compress, dropwhile, filterfalse, starmap, takewhile

print(list(accumulate([1, 2, 3, 4])), list(accumulate([3, 1, 4], max)), list(accumulate([1, 2], initial=10)))
print(list(takewhile(lambda x: x < 3, [1, 2, 5, 1])), list(dropwhile(lambda x: x < 3, [1, 2, 5, 1])))
print(list(filterfalse(lambda x: x % 2, range(5))), list(compress("abcd", [1, 0, 1, 0])))
print(list(starmap(lambda a, b: a * b, [(1, 2), (3, 4)])), list(starmap(pow, [(2, 3)])))
print(list(accumulate("abc")), list(accumulate([])))
