# no consistent order
class A:
    pass


class B(A):
    pass


try:

    class C(A, B):
        pass

except TypeError:
    print("no consistent order")


class D(B, A):
    x = 1


print([c.__name__ for c in D.__mro__])
try:

    class E(D, D):
        pass

except TypeError as error:
    print(error)
