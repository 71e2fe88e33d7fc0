# verdict: bytecode=verified
from concurrent.futures import ThreadPoolExecutor, CancelledError

with ThreadPoolExecutor(1) as ex:
    a = ex.submit(lambda: 1)
    b = ex.submit(lambda: 2)
    if b.cancel():
        try:
            b.result()
            assert False
        except CancelledError:
            pass
    else:
        assert b.result() == 2
