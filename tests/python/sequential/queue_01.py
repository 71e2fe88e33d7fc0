import queue

q = queue.Queue()
for i in range(3):
    q.put(i)
print(q.qsize(), q.empty(), q.full(), q.get(), q.get(), q.get(), q.empty())
try:
    q.get_nowait()
except queue.Empty:
    print("empty")
try:
    q.get(block=False)
except queue.Empty as error:
    print(repr(error), isinstance(error, Exception))
