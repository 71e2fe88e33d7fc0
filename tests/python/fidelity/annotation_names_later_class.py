# fails
class Node:
    def link(self, other: Node):
        self.next = other


Node().link(None)
