import queue
import threading

lines = queue.Queue()
written = []


def writer():
    while True:
        line = lines.get()
        written.append(line)


def log(text):
    lines.put(f"[info] {text}")


threading.Thread(target=writer, name="log-writer", daemon=True).start()
log("start")
log("stop")
while not lines.empty():
    pass
assert written == ["[info] start", "[info] stop"]
