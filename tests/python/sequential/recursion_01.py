def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


print(depth(500))


def hanoi(n, a, b, c):
    if n == 0:
        return 0
    return hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)


print(hanoi(8, "a", "b", "c"))


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


print(ackermann(2, 3))


def endless(n):
    return endless(n + 1)


try:
    endless(0)
except RecursionError:
    print("too deep")
