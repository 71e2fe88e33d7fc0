def stub(): ...


class Empty: ...


def documented():
    """Only a docstring."""


if True:
    pass
for _ in range(2):
    pass
print(stub(), Empty.__name__, documented(), documented.__doc__, ...)
x = ...
print(x is Ellipsis, [..., 1])
print(Empty.__doc__, stub.__doc__)
