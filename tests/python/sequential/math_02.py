import math


def show(f):
    try:
        print(f())
    except Exception as error:
        print(type(error).__name__)


show(lambda: math.sqrt(-1))
show(lambda: math.log(0))
show(lambda: math.factorial(-1))
show(lambda: math.floor(math.inf))
show(lambda: math.exp(1000))
show(lambda: math.sqrt("4"))
show(lambda: math.gcd(0, 0))
show(lambda: math.isqrt(10**30))
show(lambda: math.ceil(10**20))
show(lambda: math.dist((0, 0), (3, 4)))
