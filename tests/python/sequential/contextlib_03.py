# a manager that handles the exception, one that does not yield, one that yields twice
from contextlib import contextmanager


@contextmanager
def handle():
    try:
        yield
    except ValueError as error:
        print("handled", error)


with handle():
    raise ValueError("x")
print("on")


@contextmanager
def never():
    if False:
        yield


try:
    with never():
        pass
except RuntimeError as error:
    print(error)


@contextmanager
def twice():
    yield 1
    yield 2


try:
    with twice():
        pass
except RuntimeError as error:
    print(error)
