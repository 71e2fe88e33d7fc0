# cooperative __init__ with keyword arguments
class Base:
    def __init__(self, **kwargs):
        print("Base", sorted(kwargs))


class Left(Base):
    def __init__(self, *, left, **kwargs):
        super().__init__(**kwargs)
        self.left = left


class Right(Base):
    def __init__(self, *, right, **kwargs):
        super().__init__(**kwargs)
        self.right = right


class Both(Left, Right):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        print(self.left, self.right)


Both(left=1, right=2)
Both(left=1, right=2, extra=3) if True else None
