# class attributes shared by instances
class Counter:
    made = 0
    names = []

    def __init__(self, name):
        Counter.made += 1
        self.names.append(name)
        self.made_at = Counter.made


a, b = Counter("a"), Counter("b")
print(Counter.made, a.made, a.names, b.names is a.names, b.made_at)
a.names = ["own"]
print(a.names, b.names)
a.made += 10
print(a.made, b.made)
