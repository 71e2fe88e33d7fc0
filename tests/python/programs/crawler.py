# verdict: bytecode=verified
import threading, queue

GRAPH = {"/": ["/a", "/b"], "/a": ["/b"], "/b": ["/"]}


class Crawler:
    def __init__(self, workers=2):
        self.q = queue.Queue()
        self.seen = {"/"}
        self.lock = threading.Lock()
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(workers)]

    def run(self):
        while True:
            url = self.q.get()
            for link in GRAPH[url]:
                with self.lock:
                    if link in self.seen:
                        continue
                    self.seen.add(link)
                self.q.put(link)
            self.q.task_done()

    def crawl(self):
        self.q.put("/")
        for t in self.threads:
            t.start()
        self.q.join()
        return sorted(self.seen)


assert Crawler().crawl() == ["/", "/a", "/b"]
