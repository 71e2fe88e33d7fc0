# around the edges of machine integers
for n in (2**31, 2**32, 2**62, 2**63, 2**64):
    print(n - 1, n, n + 1, -n - 1, n * n, n // 3, -n // 3, n % 1000, n ^ (n - 1), n << 1, n >> 1)
x = 1
for i in range(70):
    x = x * 3 + i
print(x, x // 3**60, hash(x) == hash(x + 0))
print(sum(2**i for i in range(100)) == 2**100 - 1, (2**64 - 1).bit_length(), -(2**63) == ~(2**63 - 1))
print(abs(-(2**63)), divmod(-(2**63), -1), (2**63) & -(2**63), (-(2**64)) | 1)
