import threading

lock = threading.Lock()
jobs = ["a"]


def work():
    lock.acquire()
    job = jobs.pop()
    lock.release()


ts = [threading.Thread(target=work) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
