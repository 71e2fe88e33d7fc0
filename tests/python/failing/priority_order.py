import queue, threading

q = queue.PriorityQueue()
seen = []


def producer(items):
    for i in items:
        q.put(i)


def consumer():
    while True:
        item = q.get()
        if item == 99:
            break
        seen.append(item)


p1 = threading.Thread(target=producer, args=([3, 1],))
c = threading.Thread(target=consumer)
p1.start()
c.start()
p1.join()
q.put(99)
c.join()
assert seen == [1, 3], seen
