# the order of resolution in a diamond
class A:
    def f(self):
        return ["A"]


class B(A):
    def f(self):
        return ["B"] + super().f()


class C(A):
    def f(self):
        return ["C"] + super().f()


class D(B, C):
    def f(self):
        return ["D"] + super().f()


print(D().f())
print([c.__name__ for c in D.__mro__])
print(D.mro() == list(D.__mro__))
