# verdict: bytecode=verified
import threading, sys


class ExcThread(threading.Thread):
    def __init__(self, bucket):
        threading.Thread.__init__(self)
        self.bucket = bucket

    def run(self):
        try:
            raise Exception("An error occured here.")
        except Exception:
            self.bucket.put(sys.exc_info())


import queue

bucket = queue.Queue()
t = ExcThread(bucket)
t.start()
while True:
    try:
        exc = bucket.get(block=False)
    except queue.Empty:
        pass
    else:
        exc_type, exc_obj, exc_trace = exc
        assert str(exc_obj) == "An error occured here."
    t.join(0.1)
    if t.is_alive():
        continue
    else:
        break
