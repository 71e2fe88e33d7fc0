# divmod, pow and in-place of every kind on numbers
x = 100
x += 5
x -= 3
x *= 2
print(x)
x //= 7
print(x)
x **= 2
print(x)
x %= 100
print(x)
x <<= 3
x >>= 1
x |= 1
x &= 0xFF
x ^= 0b101
print(x)
x /= 2
print(x)
y = [1]
y *= 3
print(y)
z = {1}
z |= {2}
z -= {1}
print(z)
