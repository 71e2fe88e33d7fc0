from functools import partial, reduce

print(
    reduce(lambda a, b: a + b, [1, 2, 3]),
    reduce(lambda a, b: a * b, [], 1),
    reduce(max, [3, 9, 2]),
    reduce(lambda a, b: [b] + a, "abc", []),
)
try:
    reduce(lambda a, b: a, [])
except TypeError:
    print("empty")
add = lambda a, b, c=0: a + b + c
five = partial(add, 5)
print(five(1), five(1, c=10), partial(add, b=2)(1), five.func is add, five.args, partial(five, 1, c=1)())
print(list(map(partial(pow, 2), range(4))), partial(int, base=2)("101"))
