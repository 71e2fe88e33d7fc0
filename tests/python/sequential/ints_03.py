print(
    int("42"),
    int(" -7 "),
    int("ff", 16),
    int("0b101", 2),
    int("0x1f", 16),
    int("z", 36),
    int("1_000"),
    int("077", 8),
    int("0o17", 0),
)
print(int(3.9), int(-3.9), int(True), int("0"), int())
print(bin(10), bin(-5), hex(255), hex(-1), oct(8), bin(0))
print(0b1010, 0o17, 0xFF, 1_000_000)
print((255).bit_length(), (0).bit_length(), (-8).bit_length(), (10).bit_count())
print((1024).to_bytes(2, "big"), int.from_bytes(b"\x04\x00", "big"), int.from_bytes(b"\x01\x00", "little"))
print(pow(3, 100, 7), pow(2, -1, 7), pow(-2, 3))
