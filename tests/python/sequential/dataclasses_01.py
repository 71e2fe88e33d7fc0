from dataclasses import dataclass, field


@dataclass
class Item:
    name: str
    price: float = 1.5
    tags: list = field(default_factory=list)

    def total(self, n):
        return self.price * n


a = Item("pen")
b = Item("pen", 1.5, [])
print(a, a == b, a is b, a.total(4))
a.tags.append("blue")
print(a.tags, b.tags, a == b)
print(Item(price=2, name="x"), Item("y", tags=["t"]))
try:
    Item()
except TypeError:
    print("name is needed")
