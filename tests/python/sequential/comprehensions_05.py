# laziness and the first iterable evaluated at once
def numbers():
    print("start")
    for i in range(3):
        print("give", i)
        yield i


g = (i * 10 for i in numbers())
print("made")
print(next(g))
print(next(g))
print(list(g))
try:
    (i for i in 5)
except TypeError as error:
    print(error)
