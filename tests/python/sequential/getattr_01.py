class Proxy:
    def __init__(self, target):
        self.target = target

    def __getattr__(self, name):
        print("looking for", name)
        return getattr(self.target, name)


p = Proxy([1, 2])
p.append(3)
print(p.target)
try:
    p.nothing
except AttributeError as error:
    print(error)
print(hasattr(p, "pop"), hasattr(p, "fly"))
