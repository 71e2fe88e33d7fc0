"""A batch worker sleeps on an event and clears it after it has looked at the inbox."""

import threading


class Mailer:
    def __init__(self):
        self.inbox = []
        self.lock = threading.Lock()
        self.wakeup = threading.Event()
        self.sent = []

    def submit(self, mail):
        with self.lock:
            self.inbox.append(mail)
        self.wakeup.set()

    def drain(self):
        with self.lock:
            batch, self.inbox = self.inbox, []
        for mail in batch:
            self.sent.append(mail)

    def run(self, expected):
        while len(self.sent) < expected:
            self.wakeup.wait()
            self.drain()
            self.wakeup.clear()


mailer = Mailer()


def customer(name):
    mailer.submit(f"welcome {name}")


worker = threading.Thread(target=mailer.run, args=(2,), name="mailer")
customers = [threading.Thread(target=customer, args=(n,), name=n) for n in ("ida", "joe")]
worker.start()
for c in customers:
    c.start()
for c in customers:
    c.join()
worker.join()
print(mailer.sent)
