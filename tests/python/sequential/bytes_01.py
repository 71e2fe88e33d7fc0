b = b"hello"
print(b, b[0], b[1:3], len(b), list(b), b + b"!", b * 2, b"ell" in b, 104 in b)
print(b.upper(), b.find(b"l"), b.split(b"l"), b.replace(b"l", b"L"), b.startswith(b"he"), b.decode(), b.hex())
print(bytes([65, 66]), bytes(3), bytes("é", "utf-8"), bytes.fromhex("ff00"), b"\x00\x7f\xff", b"tab\t'")
print(b == b"hello", b < b"help", b"".join([b"a", b"b"]), "é".encode("latin-1"), b"\xc3\xa9".decode("utf-8"))
try:
    b + "x"
except TypeError as error:
    print(error)
