# verdict: bytecode=violated:assertion
import threading

fired = []
t = threading.Timer(30.0, lambda: fired.append(1))
t.start()
t.cancel()
t.join()
assert not fired
