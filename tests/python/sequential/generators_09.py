# StopIteration inside a generator becomes RuntimeError
def bad():
    yield 1
    raise StopIteration


try:
    list(bad())
except RuntimeError as error:
    print(error, type(error.__cause__).__name__)


def uses_next():
    yield next(iter([]))


try:
    list(uses_next())
except RuntimeError as error:
    print(error)
