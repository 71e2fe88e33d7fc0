# verdict: sync=violated:deadlock
import threading

cond = threading.Condition()
ready = False


def waiter():
    with cond:
        cond.wait()


def setter():
    with cond:
        cond.notify()


w = threading.Thread(target=waiter)
s = threading.Thread(target=setter)
w.start()
s.start()
w.join()
s.join()
