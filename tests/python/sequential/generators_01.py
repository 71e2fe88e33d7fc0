def count(n):
    while n > 0:
        yield n
        n -= 1


print(list(count(3)))
g = count(2)
print(next(g), next(g), next(g, "end"), next(g, "end"))
print(sum(count(4)), max(count(4)), 2 in count(4))
for a, b in zip(count(3), count(2)):
    print(a, b)
