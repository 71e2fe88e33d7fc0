from contextlib import ExitStack, closing, contextmanager, nullcontext


@contextmanager
def note(n):
    print("enter", n)
    yield n
    print("exit", n)


with ExitStack() as stack:
    values = [stack.enter_context(note(i)) for i in range(3)]
    stack.callback(print, "callback", "args")
    print(values)


class Thing:
    def close(self):
        print("closed")


with closing(Thing()) as thing:
    print(type(thing).__name__)
with nullcontext(5) as five:
    print(five)
stack = ExitStack()
stack.push(lambda *a: print("pushed", a[0]) or True)
with stack:
    1 / 0
print("swallowed")
