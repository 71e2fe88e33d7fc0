a = bytearray(b"abc")
a[0] = 120
a.append(33)
a.extend(b"??")
print(a, len(a), bytes(a), a.decode())
del a[1:3]
print(a, a == b"x!??")
a += b"z"
print(a, a[-1], list(a))
try:
    a[0] = 300
except ValueError as error:
    print(error)
try:
    b"\xff".decode()
except UnicodeDecodeError as error:
    print(error)
