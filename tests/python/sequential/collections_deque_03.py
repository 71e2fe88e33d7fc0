# Iterators over what changes its shape meanwhile, or does not.
from collections import OrderedDict, deque


def outcomes(container, make_iterator, taken, change):
    iterator = make_iterator(container)
    found = [next(iterator, "end") for _ in range(taken)]
    change(container)
    for _ in range(3):
        try:
            found.append(next(iterator, "end"))
        except Exception as problem:
            found.append(repr(problem))
    return found


def append_and_pop(ring):
    ring.append(1)
    ring.pop()


def times(ring, count):
    ring *= count


def store_again(mapping, key):
    mapping[key] = mapping.pop(key)


def store(container, key, value):
    container[key] = value


of_rings = [
    lambda ring: ring.rotate(),
    lambda ring: ring.rotate(0),
    lambda ring: ring.rotate(2),
    lambda ring: store(ring, 0, 9),
    append_and_pop,
    lambda ring: ring.extend([]),
    lambda ring: ring.clear(),
    lambda ring: ring.reverse(),
    lambda ring: times(ring, 1),
    lambda ring: times(ring, 2),
    lambda ring: ring.remove(1),
    lambda ring: ring.insert(0, 7),
]
for change in of_rings:
    for make_iterator in (iter, reversed):
        for taken in range(4):
            print(outcomes(deque([1, 1]), make_iterator, taken, change))
of_ordered = [
    lambda mapping: store(mapping, 1, 9),
    lambda mapping: mapping.move_to_end(1),
    lambda mapping: mapping.move_to_end(2),
    lambda mapping: store_again(mapping, 2),
    lambda mapping: store(mapping, 3, 1),
    lambda mapping: mapping.clear(),
]
for change in of_ordered:
    for make_iterator in (
        iter,
        lambda mapping: iter(mapping.items()),
        lambda mapping: iter(mapping.values()),
    ):
        for taken in range(3):
            print(outcomes(OrderedDict([(1, 1), (2, 2)]), make_iterator, taken, change))
print(outcomes(OrderedDict(), iter, 0, lambda mapping: store(mapping, 3, 1)))
for make_iterator in (iter, reversed, lambda mapping: iter(mapping.items())):
    for taken in range(4):
        print(outcomes({1: 1, 2: 2}, make_iterator, taken, lambda mapping: store(mapping, 3, 1)))


class Item:
    def __init__(self, action, answer):
        self.action = action
        self.answer = answer

    def __eq__(self, other):
        self.action()
        return self.answer

    def __repr__(self):
        return "Item"


for look in (
    lambda ring: 7 in ring,
    lambda ring: ring.count(7),
    lambda ring: ring.index(7),
    lambda ring: ring.index(7, -9, 99),
    lambda ring: ring.remove(7),
):
    for change in (
        lambda ring: ring.rotate(),
        lambda ring: store(ring, 1, 7),
        lambda ring: ring.append(5),
        lambda ring: ring.clear(),
    ):
        for answer in (True, False):
            ring = deque()
            ring.extend([Item(lambda: change(ring), answer), 2, 3])
            try:
                print(look(ring), list(ring))
            except Exception as problem:
                print(repr(problem), list(ring))


class Ring(deque):
    def __getitem__(self, place):
        return "mine"


print(list(Ring([1, 2])), [item for item in Ring([1, 2])], [item for item in reversed(Ring([1, 2]))])
