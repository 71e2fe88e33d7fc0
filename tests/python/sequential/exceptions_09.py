# raising classes and wrong things
for thing in (ValueError, ValueError("v"), KeyError):
    try:
        raise thing
    except Exception as error:
        print(repr(error))
for thing in (3, "text", None, object):
    try:
        raise thing
    except TypeError as error:
        print(error)
