# recursion with yield from
def walk(tree):
    if isinstance(tree, list):
        for branch in tree:
            yield from walk(branch)
    else:
        yield tree


print(list(walk([1, [2, [3, 4], []], 5])))


def permutations(items):
    if not items:
        yield ()
    for i, first in enumerate(items):
        for rest in permutations(items[:i] + items[i + 1 :]):
            yield (first, *rest)


print(list(permutations([1, 2, 3])))
