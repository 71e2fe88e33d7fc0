import queue
import threading

LINKS = {"/": ["/a", "/b"], "/a": ["/c"], "/b": [], "/c": []}
frontier = queue.Queue(maxsize=1)
seen = []


def worker():
    while True:
        page = frontier.get()
        if page is None:
            return
        seen.append(page)
        for link in LINKS[page]:
            frontier.put(link)
        frontier.task_done()


thread = threading.Thread(target=worker, name="crawler")
thread.start()
frontier.put("/")
frontier.join()
frontier.put(None)
thread.join()
assert sorted(seen) == ["/", "/a", "/b", "/c"]
