# rich comparison and sorting
import functools


class Version:
    def __init__(self, text):
        self.parts = tuple(map(int, text.split(".")))

    def __eq__(self, other):
        return self.parts == other.parts

    def __lt__(self, other):
        return self.parts < other.parts

    def __repr__(self):
        return ".".join(map(str, self.parts))


Version = functools.total_ordering(Version)
vs = [Version(t) for t in ("1.10", "1.2", "0.9.1", "1.2")]
print(sorted(vs), min(vs), max(vs))
print(vs[1] == vs[3], vs[0] > vs[1], vs[1] <= vs[3], vs[2] >= vs[1], vs[0] != vs[1])
