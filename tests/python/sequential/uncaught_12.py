def f():
    try:
        raise ValueError("lost")
    finally:
        raise TypeError("from finally")


f()
# ends with TypeError
