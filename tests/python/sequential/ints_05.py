# algorithms
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a


def is_prime(n):
    return n > 1 and all(n % d for d in range(2, int(n**0.5) + 1))


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def digits(n):
    return sum(int(d) for d in str(n))


print(gcd(1071, 462), [n for n in range(50) if is_prime(n)], collatz(27), digits(2**100))
a, b = 0, 1
for _ in range(150):
    a, b = b, a + b
print(a)
