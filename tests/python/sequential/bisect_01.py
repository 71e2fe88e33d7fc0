import bisect

a = [1, 3, 3, 5, 7]
print(
    bisect.bisect(a, 3),
    bisect.bisect_left(a, 3),
    bisect.bisect_right(a, 3),
    bisect.bisect(a, 0),
    bisect.bisect(a, 9),
)
bisect.insort(a, 4)
bisect.insort_left(a, 3)
print(a)
print(bisect.bisect_left([(1, "a"), (3, "b")], 2, key=lambda p: p[0]), bisect.bisect(a, 5, 2, 4))
grades = [60, 70, 80, 90]
print([("FDCBA"[bisect.bisect(grades, s)]) for s in (33, 99, 77, 70, 89, 90, 100)])
