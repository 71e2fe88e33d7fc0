import threading

s = threading.Semaphore(2)
print(s.acquire(), s.acquire(), s.acquire(blocking=False))
s.release()
print(s.acquire(blocking=False), s.acquire(timeout=0.01))
s.release(2)
with s:
    print("inside")
b = threading.BoundedSemaphore(1)
b.acquire()
b.release()
try:
    b.release()
except ValueError as error:
    print(error)
for bad in (lambda: threading.Semaphore(-1), lambda: s.release(0), lambda: s.acquire(False, 1)):
    try:
        bad()
    except ValueError as error:
        print(error)
