# tuples of classes, hierarchy, the first that matches
def kind(f):
    try:
        f()
    except (KeyError, IndexError) as error:
        return "lookup", type(error).__name__
    except ArithmeticError as error:
        return "arithmetic", type(error).__name__
    except Exception as error:
        return "other", type(error).__name__


print(kind(lambda: {}[1]), kind(lambda: [][1]), kind(lambda: 1 // 0), kind(lambda: int("z")))
print(kind(lambda: None.x), kind(lambda: undefined_name), kind(lambda: "a" + 1), kind(lambda: 1 / 0.0))
print(
    issubclass(KeyError, LookupError),
    issubclass(ZeroDivisionError, ArithmeticError),
    issubclass(Exception, BaseException),
)
