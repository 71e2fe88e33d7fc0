import threading

lock = threading.Lock()
print(lock.acquire(), lock.locked(), lock.acquire(blocking=False), lock.acquire(timeout=0.01))
lock.release()
print(lock.locked())
with lock:
    print("inside", lock.locked())
print(lock.locked())
try:
    lock.release()
except RuntimeError as error:
    print(error)
try:
    with lock:
        raise ValueError
except ValueError:
    print("released", lock.locked())
for bad in (lambda: lock.acquire(False, 1), lambda: lock.acquire(timeout=-2)):
    try:
        bad()
    except ValueError as error:
        print(error)
