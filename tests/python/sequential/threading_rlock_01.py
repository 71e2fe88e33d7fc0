import threading

lock = threading.RLock()
with lock:
    with lock:
        print(lock.acquire(), "three deep")
        lock.release()
    print("one deep")
try:
    lock.release()
except RuntimeError as error:
    print(error)


def recurse(n):
    with lock:
        return 0 if n == 0 else 1 + recurse(n - 1)


print(recurse(5), lock.acquire(blocking=False))
lock.release()
