# two-argument super, super of class methods, attributes through super
class A:
    name = "A"

    @classmethod
    def make(cls):
        return f"made {cls.__name__}"

    def f(self):
        return "A.f"


class B(A):
    name = "B"

    @classmethod
    def make(cls):
        return super().make() + " by B"

    def f(self):
        return "B.f"

    def up(self):
        return super().name, super(B, self).f(), self.f()


class C(B):
    def f(self):
        return super(B, self).f()


print(B.make(), C.make())
print(B().up(), C().up(), C().f())
