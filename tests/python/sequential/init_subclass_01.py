class Base:
    known = []

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__()
        Base.known.append((cls.__name__, sorted(kwargs.items())))


class A(Base):
    pass


class B(A, colour="red"):
    pass


print(Base.known)
