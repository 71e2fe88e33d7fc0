import queue
import threading

q = queue.Queue()


def worker():
    item = q.get()
    if item:
        q.task_done()


t = threading.Thread(target=worker)
t.start()
q.put(0)
q.join()
t.join()
