import queue
import threading

jobs = queue.Queue()
imported = {}


def parse(record):
    name, amount = record.split("=")
    return name, int(amount)


def worker():
    while True:
        record = jobs.get()
        name, amount = parse(record)
        imported[name] = amount
        jobs.task_done()


def run(records):
    for record in records:
        jobs.put(record)
    threading.Thread(target=worker, name="import-worker", daemon=True).start()
    jobs.join()
    return imported


assert run(["a=1", "b=two", "c=3"]) == {"a": 1, "b": 2, "c": 3}
