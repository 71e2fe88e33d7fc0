# booleans are integers
print(True + True, True * 5, False - 1, True == 1, sum([True, False, True]))
print(isinstance(True, int), isinstance(1, bool), [10, 20][True], "ab" * False == "")
print(True & False, True | False, True ^ True, not True, ~5)
print(str(True), repr(False), int(True), bool("False"), bool(0.0), max(True, 2))
print((5).real, (5).imag, (5).numerator, (7).conjugate())
print(abs(-5), abs(True), -(-3), +4)
