from contextlib import AbstractContextManager, ContextDecorator, ExitStack


class Loud(ContextDecorator):
    def __enter__(self):
        print("in")
        return self

    def __exit__(self, *args):
        print("out")
        return False


@Loud()
def f(x):
    return x * 2


print(f(4))
with ExitStack() as outer:
    outer.callback(print, 1)
    with ExitStack() as inner:
        inner.callback(print, 2)
        moved = inner.pop_all()
    print("inner left")
    moved.close()
print(issubclass(Loud, AbstractContextManager))
