# nested finally while unwinding several frames
def inner():
    try:
        raise ValueError("deep")
    finally:
        print("inner finally")


def middle():
    try:
        inner()
    except TypeError:
        print("wrong handler")
    finally:
        print("middle finally")


def outer():
    try:
        middle()
    except ValueError as error:
        print("outer caught", error)
        return "done"
    finally:
        print("outer finally")


print(outer())
