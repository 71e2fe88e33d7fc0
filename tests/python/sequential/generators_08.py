# infinite generators and pipelines
def naturals():
    n = 0
    while True:
        yield n
        n += 1


def take(n, it):
    for _, x in zip(range(n), it):
        yield x


def sieve(it):
    p = next(it)
    yield p
    yield from sieve(x for x in it if x % p)


n = naturals()
next(n)
next(n)
print(list(take(8, sieve(n))))
print(list(take(3, (x * x for x in naturals() if x % 2))))
