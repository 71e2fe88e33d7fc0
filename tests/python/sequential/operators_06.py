# reflected comparison, and subclasses go first
class A:
    def __lt__(self, other):
        return "A.lt"

    def __add__(self, other):
        return "A.add"

    def __eq__(self, other):
        return "A.eq"


class B(A):
    def __gt__(self, other):
        return "B.gt"

    def __radd__(self, other):
        return "B.radd"


print(A() < B(), B() < A(), A() + B(), B() + A(), A() + A())
print(5 > A(), A() == 1, 1 == A(), A() != 1)
