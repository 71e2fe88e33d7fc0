import queue

q = queue.Queue(1)
q.put_nowait("fits")
q.put_nowait("does not")
# ends with queue.Full
