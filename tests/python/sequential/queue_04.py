# task_done and join without threads
import queue

q = queue.Queue()
q.put(1)
q.put(2)
q.get()
q.task_done()
q.get()
q.task_done()
q.join()
print("joined")
try:
    q.task_done()
except ValueError as error:
    print(error)
try:
    q.put(1, timeout=-1)
    print("put, since there is room")
except ValueError as error:
    print(error)
full = queue.Queue(1)
full.put(0)
try:
    full.put(1, timeout=-1)
except ValueError as error:
    print(error)
