# scope of comprehension variables
x = "outside"
print([x for x in range(3)], x)
n = 3
print([n * i for i in range(n)])


def f():
    base = 10
    return [base + i for i in range(3)], {base: i for i in range(1)}


print(f())
print([y := i * 2 for i in range(3)], y)
print([(last := v) for v in "abc"][-1], last)
