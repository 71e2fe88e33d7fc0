# __bool__ and __len__ decide; errors in them come through
class B:
    def __bool__(self):
        print("bool asked")
        return False

    def __len__(self):
        return 5


if not B():
    print("false")
print(bool(B()), B() and 1 or 2)


class Bad:
    def __bool__(self):
        return 1


try:
    bool(Bad())
except TypeError as error:
    print(error)
print([x for x in (0, 1, "", "a") if x], list(filter(bool, [0, 3])))
while B():
    pass
print(any([B(), 0]))
