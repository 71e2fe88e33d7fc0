import threading

c = threading.Condition()
with c:
    c.notify()
    c.notify_all()
    print(c.wait(timeout=0.01))
    print(c.wait_for(lambda: True), c.wait_for(lambda: 0, timeout=0.01))
for bad in (c.notify, c.wait, c.notify_all):
    try:
        bad()
    except RuntimeError as error:
        print(error)
lock = threading.Lock()
d = threading.Condition(lock)
with d:
    print(lock.locked())
print(lock.locked(), d.acquire(), lock.locked())
d.release()
