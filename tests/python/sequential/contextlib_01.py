from contextlib import contextmanager, suppress


@contextmanager
def tag(name):
    print(f"<{name}>")
    try:
        yield name.upper()
    finally:
        print(f"</{name}>")


with tag("a") as t, tag("b"):
    print(t)
try:
    with tag("c"):
        raise ValueError("inside")
except ValueError as error:
    print("caught", error)
with suppress(KeyError, IndexError):
    {}[1]
print("after suppress")


@tag("deco")
def f():
    print("body")


f()
