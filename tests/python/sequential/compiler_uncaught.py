"""An exception that nobody catches, out of several blocks."""


class Manager:
    def __enter__(self):
        return self

    def __exit__(self, *exception):
        print("exit", exception[0].__name__)


def fail():
    try:
        with Manager():
            {}["missing"]
    finally:
        print("finally")


try:
    fail()
except IndexError:
    print("not this one")
# ends with KeyError
