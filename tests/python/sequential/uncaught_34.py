def f():
    raise NotImplementedError("later")


try:
    f()
except ValueError:
    print("not this")
else:
    print("nor this")
finally:
    print("cleanup")
# ends with NotImplementedError
