# verdict: bytecode=verified
import threading, queue

N = 3
mail = [queue.Queue() for _ in range(N)]
visits = []


def node(i):
    while True:
        token = mail[i].get()
        if token is None:
            break
        visits.append(i)
        if token == 0:
            for m in mail:
                m.put(None)
        else:
            mail[(i + 1) % N].put(token - 1)


ts = [threading.Thread(target=node, args=(i,)) for i in range(N)]
for t in ts:
    t.start()
mail[0].put(4)
for t in ts:
    t.join()
assert visits == [0, 1, 2, 0, 1]
