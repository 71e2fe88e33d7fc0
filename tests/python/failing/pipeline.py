import queue
import threading

STOP = object()


def parse(source, target):
    while True:
        line = source.get()
        if line is STOP:
            target.put(STOP)
            break
        target.put(line.upper())
        source.task_done()


def store(source, rows):
    while True:
        row = source.get()
        if row is STOP:
            break
        rows.append(row)


def run(lines):
    raw, parsed, rows = queue.Queue(), queue.Queue(maxsize=1), []
    parsers = [threading.Thread(target=parse, args=(raw, parsed), name=f"parser-{i}") for i in range(2)]
    writer = threading.Thread(target=store, args=(parsed, rows), name="writer")
    for thread in [*parsers, writer]:
        thread.start()
    for line in lines:
        raw.put(line)
    for _ in parsers:
        raw.put(STOP)
    for thread in [*parsers, writer]:
        thread.join()
    return rows


rows = run(["a", "b"])
assert sorted(rows) == ["A", "B"]
