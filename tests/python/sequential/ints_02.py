# division and remainder with signs
for a, b in ((7, 3), (-7, 3), (7, -3), (-7, -3), (6, 3), (-6, 3), (0, 5)):
    print(a, b, a // b, a % b, divmod(a, b), a / b)
print(10**20 // -3, -(10**20) % 7, divmod(-(2**70), 2**35))
print(7 // 2.0, -7 // 2.0, 7 % 2.5, -7 % 2.5)
print(2**-1, 2**0, 0**0, (-2) ** 3, -(2**2), 2**3**2)
