def f(a, b):
    pass


f(1)
# ends with TypeError
