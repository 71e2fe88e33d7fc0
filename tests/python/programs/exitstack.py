# verdict: bytecode=verified
import threading
from contextlib import ExitStack, suppress, closing, nullcontext

locks = [threading.Lock() for _ in range(2)]
n = 0


def f():
    global n
    with ExitStack() as st:
        for l in locks:
            st.enter_context(l)
        n += 1
    with suppress(KeyError), nullcontext():
        {}["x"]


ts = [threading.Thread(target=f) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert n == 2
