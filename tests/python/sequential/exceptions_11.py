# an exception replaces another in finally and in a handler
def f(where):
    try:
        try:
            raise ValueError("first")
        except ValueError:
            if where == "except":
                raise KeyError("second")
        finally:
            if where == "finally":
                raise IndexError("third")
    except Exception as error:
        chain = []
        while error is not None:
            chain.append(repr(error))
            error = error.__context__
        return chain
    return "none"


print(f("except"), f("finally"), f("no"))
