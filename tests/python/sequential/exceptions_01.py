def f(x):
    try:
        r = 10 / x
    except ZeroDivisionError:
        print("zero")
        r = None
    except TypeError as error:
        print("type:", error)
        r = -1
    else:
        print("fine")
    finally:
        print("finally")
    return r


print(f(5), f(0), f("a"))
