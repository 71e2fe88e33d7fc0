class Outer:
    class InnerError(ValueError):
        pass


raise Outer.InnerError("nested class")
# ends with Outer.InnerError
