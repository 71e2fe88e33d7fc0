class Node:
    def __init__(self, next):
        self.next = next


print(Node(Node(None)).next.next.next)
# ends with AttributeError
