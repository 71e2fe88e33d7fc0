# written by hand and compared with the library
import itertools


def my_chain(*iterables):
    for it in iterables:
        yield from it


def batched(items, n):
    it = iter(items)
    while batch := tuple(itertools.islice(it, n)):
        yield batch


print(list(my_chain([1], (2,))) == list(itertools.chain([1], (2,))))
print(list(batched("abcdefg", 3)))
print(sum(1 for _ in itertools.takewhile(lambda n: n < 100, (n * n for n in itertools.count()))))
rows = [["b", 2], ["a", 2], ["c", 1]]
print([k for k, _ in itertools.groupby(sorted(rows, key=lambda r: r[1]), key=lambda r: r[1])])
