import threading

e = threading.Event()
print(e.is_set(), e.wait(timeout=0.01))
e.set()
print(e.is_set(), e.wait(), e.wait(1))
e.clear()
print(e.is_set())
e.set()
e.set()
print(e.is_set())
