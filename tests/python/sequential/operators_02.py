# every binary operator and its reflection
class R:
    def __init__(self, name):
        self.name = name


for op in "add sub mul truediv floordiv mod pow and or xor lshift rshift matmul".split():
    setattr(R, f"__{op}__", lambda self, other, op=op: f"{self.name}.{op}({other})")
    setattr(R, f"__r{op}__", lambda self, other, op=op: f"{self.name}.r{op}({other})")
r = R("r")
print(r + 1, r - 1, r * 1, r / 1, r // 1, r % 1, r**1)
print(r & 1, r | 1, r ^ 1, r << 1, r >> 1, r @ 1)
print(1 + r, 1 - r, 1 * r, 1 / r, 1 // r, 1 % r, 1**r)
print(1 & r, 1 | r, 1 ^ r, 1 << r, 1 >> r, 1 @ r)
