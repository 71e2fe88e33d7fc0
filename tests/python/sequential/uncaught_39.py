class Stack:
    def __init__(self):
        self.items = []

    def pop(self):
        return self.items.pop()


Stack().pop()
# ends with IndexError
