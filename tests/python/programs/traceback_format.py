# verdict: bytecode=verified
import threading, traceback, sys

errors = []


def work(n):
    try:
        return 1 / n
    except Exception:
        errors.append(traceback.format_exc())


t = threading.Thread(target=work, args=(0,))
t.start()
t.join()
assert "ZeroDivisionError" in errors[0]
