import queue
import threading

STOP = None
jobs = queue.Queue()
done = []


def worker():
    while True:
        job = jobs.get()
        if job is STOP:
            break
        done.append(job * job)


workers = [threading.Thread(target=worker) for _ in range(2)]
for w in workers:
    w.start()
for n in range(2):
    jobs.put(n)
jobs.put(STOP)
for w in workers:
    w.join()
assert sorted(done) == [0, 1]
