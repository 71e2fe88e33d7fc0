class C:
    def __enter__(self):
        print("enter")

    def __exit__(self, *args):
        print("exit", args[0].__name__)


with C():
    raise LookupError("in with")
# ends with LookupError
