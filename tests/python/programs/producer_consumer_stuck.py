# verdict: bytecode=violated:deadlock
import queue
import threading


def producer(q, event):
    while not event.is_set():
        q.put(1)


def consumer(q, event):
    while not event.is_set():
        q.get()


q = queue.Queue(maxsize=1)
stop = threading.Event()
p = threading.Thread(target=producer, args=(q, stop))
c = threading.Thread(target=consumer, args=(q, stop))
p.start()
c.start()
stop.set()
p.join()
c.join()
