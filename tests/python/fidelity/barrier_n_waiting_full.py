# fails
import threading

b = threading.Barrier(2)
seen = []


def w():
    b.wait()


def look():
    seen.append(b.n_waiting)


ts = [threading.Thread(target=w), threading.Thread(target=w), threading.Thread(target=look)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert seen[0] < 2
