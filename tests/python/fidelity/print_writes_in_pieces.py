# fails
class W:
    def __init__(self):
        self.parts = []

    def write(self, s):
        self.parts.append(s)


w = W()
print(1, 2, file=w)
assert len(w.parts) == 1
