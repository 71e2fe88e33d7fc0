import threading


class Job:
    def __init__(self):
        self.state = "running"
        self.events = []

    def expire(self):
        if self.state == "running":
            self.events.append("expired")
            self.state = "failed"

    def finish(self):
        if self.state == "running":
            self.events.append("finished")
            self.state = "done"


job = Job()
timer = threading.Timer(5, job.expire)
timer.start()
job.finish()
timer.cancel()
timer.join()
assert job.events in (["finished"], ["expired"])
