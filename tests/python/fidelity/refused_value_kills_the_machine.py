# refused
m = memoryview(bytearray(b"x"))
assert m[0] == 120
