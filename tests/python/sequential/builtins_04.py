# next, iter, print options
it = iter([1])
print(next(it), next(it, "default"))
try:
    next(it)
except StopIteration:
    print("stop")
print("a", "b", sep="")
print("no newline", end="")
print()
print(1, "x", None, [2], sep=" | ", end="!\n")
print()
print("", "a", "")
print(*[], sep=",")
print(*[1, 2], sep="\n")
print("tab\tnew", True, 1.0, end="\n\n")
print(end="")
print(print("inner"))
