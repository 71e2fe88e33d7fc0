# verdict: bytecode=violated:assertion
from concurrent.futures import ThreadPoolExecutor
from collections import Counter

words = ["a", "b", "a"]
counts = Counter()


def count(w):
    counts[w] += 1


with ThreadPoolExecutor(max_workers=2) as ex:
    ex.map(count, words)
assert counts == {"a": 2, "b": 1}, counts
