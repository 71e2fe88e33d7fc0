# nested classes, classes as values, factory
class Outer:
    class Inner:
        def __init__(self, v):
            self.v = v

    def make(self, v):
        return self.Inner(v)


print(Outer().make(3).v, Outer.Inner(4).v, Outer.Inner.__qualname__)
kinds = {"int": int, "str": str, "list": list}
print([kinds[k]("12") for k in kinds])


def factory(n):
    class Made:
        size = n

    return Made


A, B = factory(1), factory(2)
print(A.size, B.size, A is B, A.__name__ == B.__name__)
