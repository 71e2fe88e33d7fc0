import threading


class Latch:
    def __init__(self, count):
        self.count = count
        self.condition = threading.Condition()

    def count_down(self):
        self.count -= 1
        if self.count == 0:
            with self.condition:
                self.condition.notify_all()

    def wait(self):
        if self.count > 0:
            with self.condition:
                self.condition.wait()


latch = Latch(2)


def worker():
    latch.count_down()


threads = [threading.Thread(target=worker, name=f"worker-{i}") for i in range(2)]
for t in threads:
    t.start()
latch.wait()
print("all done")
