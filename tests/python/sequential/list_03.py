# sort: key, reverse, stability
words = ["banana", "Apple", "cherry", "apple", "fig"]
print(
    sorted(words), sorted(words, key=str.lower), sorted(words, key=len), sorted(words, key=len, reverse=True)
)
people = [("ann", 30), ("bob", 25), ("cid", 30), ("dan", 25)]
people.sort(key=lambda p: p[1])
print(people)
people.sort(key=lambda p: (-p[1], p[0]), reverse=False)
print(people)
print(people.sort(), sorted([3, 1.5, 2, True]), sorted([(2, "b"), (2, "a"), (1, "z")]))
try:
    sorted([1, "a"])
except TypeError as error:
    print(error)
