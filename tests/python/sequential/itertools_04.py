from itertools import groupby, pairwise, tee, zip_longest

for key, group in groupby([1, 1, 2, 3, 3, 3, 1]):
    print(key, list(group))
print([(k, len(list(g))) for k, g in groupby("aabccc")])
words = sorted(["apple", "bob", "axe", "bit"], key=lambda w: w[0])
print({k: list(g) for k, g in groupby(words, key=lambda w: w[0])})
print(list(pairwise([1, 2, 3])), list(zip_longest([1, 2], "a", fillvalue="-")))
a, b = tee(iter([1, 2, 3]))
print(next(a), list(b), list(a))
