from concurrent.futures import Future
import threading


class Race:
    def __init__(self):
        self.answer = Future()

    def reply(self, value):
        if not self.answer.done():
            self.answer.set_result(value)


race = Race()
replicas = [
    threading.Thread(target=race.reply, args=(name,), name=f"replica-{name}") for name in ("east", "west")
]
for replica in replicas:
    replica.start()
winner = race.answer.result()
for replica in replicas:
    replica.join()
assert winner in ("east", "west")
