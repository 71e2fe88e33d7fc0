# class bodies are executed
print("before")


class C:
    print("in body")
    a = 1
    b = a + 1
    items = [b for _ in range(2)] if False else [a, b]
    for i in range(3):
        last = i

    def f(self):
        return self.a

    if b == 2:
        conditional = "yes"


print(C.b, C.items, C.last, C.i, C.conditional, C().f())
