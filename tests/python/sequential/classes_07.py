# a linked list
class Node:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next


class Stack:
    def __init__(self):
        self.top = None
        self.size = 0

    def push(self, value):
        self.top = Node(value, self.top)
        self.size += 1

    def pop(self):
        if self.top is None:
            raise IndexError("empty")
        node = self.top
        self.top = node.next
        self.size -= 1
        return node.value


s = Stack()
for c in "abc":
    s.push(c)
print(s.pop(), s.pop(), s.size, s.pop())
try:
    s.pop()
except IndexError as error:
    print(error)
