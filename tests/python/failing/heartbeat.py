import threading


class Heartbeat:
    def __init__(self):
        self.beats = 0
        self.cancelled = False

    def beat(self):
        if not self.cancelled:
            self.beats += 1
            self.timer = threading.Timer(1.0, self.beat)
            if self.beats < 2:
                self.timer.start()

    def cancel(self):
        self.cancelled = True
        self.timer.cancel()


h = Heartbeat()
h.beat()
h.cancel()
n = h.beats
for t in threading.enumerate():
    if t is not threading.main_thread():
        t.join()
assert h.beats == n, (h.beats, n)
