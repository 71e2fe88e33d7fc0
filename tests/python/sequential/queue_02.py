import queue

q = queue.Queue(maxsize=2)
q.put("a")
q.put_nowait("b")
print(q.full(), q.qsize(), q.maxsize)
for attempt in (lambda: q.put_nowait("c"), lambda: q.put("c", block=False), lambda: q.put("c", timeout=0)):
    try:
        attempt()
    except queue.Full:
        print("full")
print(q.get(), q.full(), q.get(timeout=1), q.empty())
