# futures without threads
from concurrent.futures import Future

f = Future()
print(f.done(), f.running(), f.cancelled())
f.add_done_callback(lambda g: print("callback", g.result()))
f.set_result(5)
print(f.done(), f.result(), f.exception())
g = Future()
g.set_exception(ValueError("bad"))
try:
    g.result()
except ValueError as error:
    print("raised", error)
print(repr(g.exception()))
h = Future()
print(h.cancel(), h.cancelled(), h.done())
f.add_done_callback(lambda g: print("late callback"))
