# __dict__ and class attributes through instances and subclasses
class A:
    shared = []
    value = 1


class B(A):
    pass


b = B()
B.value = 2
print(A.value, B.value, b.value)
b.value = 3
print(A.value, B.value, b.value, b.__dict__)
b.shared.append(1)
print(A.shared is B.shared is b.shared, A.shared)
A.late = "late"
print(b.late)
b.__dict__["dyn"] = 5
print(b.dyn, "dyn" in b.__dict__)
del B.value
print(B.value)
