from dataclasses import dataclass, make_dataclass


@dataclass(slots=True)
class P:
    x: int
    y: int = 0

    def __add__(self, other):
        return P(self.x + other.x, self.y + other.y)


p = P(1) + P(2, 3)
print(p)
try:
    p.z = 1
except AttributeError:
    print("no such slot")
Q = make_dataclass("Q", ["a", ("b", int, 5)])
print(Q(1), Q(1, 2) == Q(1, 2))


@dataclass
class Node:
    value: int
    next: "Node | None" = None


print(Node(1, Node(2)))
