"""return, break, continue and exceptions through try, finally and with."""


def t(k):
    try:
        if k == 0:
            return "ret"
        if k == 1:
            raise ValueError("one")
        if k == 2:
            raise KeyError("two")
        if k == 3:
            1 / 0
    except ValueError as e:
        return f"VE {e}"
    except (KeyError, IndexError) as e:
        raise RuntimeError("again") from e
    else:
        return "else"
    finally:
        print("fin", k)
        if k == 3:
            return "swallowed"


for k in range(5):
    try:
        print(t(k))
    except RuntimeError as e:
        print("RE", e, repr(e.__cause__), repr(e.__context__))


def loops():
    for i in range(5):
        try:
            if i == 1:
                continue
            if i == 3:
                break
            print("i", i)
        finally:
            print("f", i)
    else:
        print("no")
    while True:
        for j in range(2):
            try:
                raise ValueError
            except ValueError:
                try:
                    continue
                finally:
                    print("in", j)
        else:
            print("for else")
            break
    return [(x, y) for x in range(3) if x for y in range(x)]


print(loops())


class CM:
    def __init__(self, s=False):
        self.s = s

    def __enter__(self):
        print("enter")
        return self

    def __exit__(self, t, v, tb):
        print("exit", t and t.__name__, v)
        return self.s


with CM(True) as a, CM():
    raise ValueError("x")


def w():
    for i in range(3):
        with CM():
            if i == 1:
                return i
            continue


print(w())
try:
    with CM():
        1 / 0
except ZeroDivisionError as e:
    print(e)


def bare():
    try:
        try:
            1 / 0
        except ZeroDivisionError:
            raise
    except ZeroDivisionError as e:
        return repr(e)


print(bare())


def nested_fin():
    try:
        try:
            return 1
        finally:
            for i in range(3):
                if i == 1:
                    break
            print("a")
    finally:
        print("b")


print(nested_fin())


def fin_override():
    for i in range(3):
        try:
            return i
        finally:
            continue
    return "end"


print(fin_override())


def exc_in_fin():
    try:
        try:
            raise ValueError(1)
        finally:
            raise KeyError(2)
    except KeyError as e:
        return repr(e.__context__)


print(exc_in_fin())
raise ValueError("the end")
# ends with ValueError
