r = range(2, 20, 3)
print(
    r, list(r), len(r), r[0], r[-1], r[1:3], 5 in r, 6 in r, r.index(8), r.count(5), r.start, r.stop, r.step
)
print(
    list(range(5, 0, -2)), list(range(0)), range(3) == range(0, 3, 1), range(0) == range(5, 5), bool(range(0))
)
print(list(reversed(range(4))), range(10)[::-1], list(range(10)[::-3]), sum(range(101)), max(range(5)))
print(range(10**20)[-1], len(range(0, 10**6, 7)), 10**19 in range(10**20), range(1, 10, 2)[2])
for bad in (lambda: range(1, 2, 0), lambda: range(1.5), lambda: range(3)[5], lambda: range(3).index(7)):
    try:
        bad()
    except (ValueError, TypeError, IndexError) as error:
        print(type(error).__name__, error)
