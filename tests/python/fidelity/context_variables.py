# holds
import contextvars, threading
from contextvars import ContextVar, Token

v = ContextVar("v", default=1)
w = ContextVar("w")
assert v.get() == 1 and w.get(5) == 5
try:
    w.get()
except LookupError:
    pass
else:
    assert False
token = v.set(2)
assert v.get() == 2 and token.old_value is Token.MISSING and token.var is v
second = v.set(3)
assert second.old_value == 2
v.reset(second)
assert v.get() == 2
try:
    v.reset(second)
except RuntimeError:
    pass
else:
    assert False
try:
    w.reset(token)
except ValueError:
    pass
else:
    assert False
seen = []


def work():
    seen.append(v.get())
    v.set(9)
    try:
        v.reset(token)
    except ValueError:
        seen.append("other")


t = threading.Thread(target=work)
t.start()
t.join()
assert seen == [1, "other"] and v.get() == 2
v.reset(token)
assert v.get() == 1
