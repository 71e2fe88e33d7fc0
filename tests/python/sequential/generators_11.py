# generator methods in classes, generators as iterators of a class
class Tree:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.value
        if self.right:
            yield from self.right


t = Tree(2, Tree(1), Tree(4, Tree(3)))
print(list(t), sum(t), 3 in t, sorted(t, reverse=True))
a, b, *rest = t
print(a, b, rest)
