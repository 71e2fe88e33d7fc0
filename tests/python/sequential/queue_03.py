import queue

lifo = queue.LifoQueue()
for x in "abc":
    lifo.put(x)
print([lifo.get() for _ in range(3)])
p = queue.PriorityQueue()
for item in [(2, "b"), (1, "z"), (3, "a"), (1, "a")]:
    p.put(item)
print([p.get() for _ in range(4)], p.empty())
s = queue.SimpleQueue()
s.put(1)
s.put(2)
print(s.get(), s.qsize(), s.get(), s.empty())
try:
    s.get_nowait()
except queue.Empty:
    print("empty")
