# leaving with return, break, continue
class Note:
    def __enter__(self):
        print("in")

    def __exit__(self, *args):
        print("out", args[0] is None)


def f():
    with Note():
        return "value"


print(f())
for i in range(3):
    with Note():
        if i == 0:
            continue
        if i == 1:
            break
print(i)


def g():
    with Note():
        yield 1
    yield 2


print(list(g()))
