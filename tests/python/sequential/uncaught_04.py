def f(n):
    if n == 0:
        raise IndexError("deep")
    f(n - 1)


f(3)
# ends with IndexError
