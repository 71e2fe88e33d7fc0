import threading

lock = threading.Lock()
with lock:
    assert not lock.locked(), f"locked: {lock.locked()}"
# ends with AssertionError
