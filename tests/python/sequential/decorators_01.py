def trace(f):
    def wrapper(*args, **kwargs):
        print("call", f.__name__, args, kwargs)
        result = f(*args, **kwargs)
        print("return", result)
        return result

    return wrapper


@trace
def add(a, b=1):
    return a + b


add(1)
add(1, b=5)
print(add.__name__)


@trace
@trace
def twice():
    return 0


twice()
