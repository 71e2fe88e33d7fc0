import threading


class Task(threading.Thread):
    def __init__(self, f, *args):
        super().__init__()
        self.f, self.args_ = f, args
        self.result = None

    def run(self):
        self.result = self.f(*self.args_)


tasks = [Task(pow, 2, n) for n in (3, 4)]
for t in tasks:
    t.start()
tasks[0].join()
total = sum(t.result for t in tasks)
assert total == 24
