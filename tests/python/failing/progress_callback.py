from concurrent.futures import ThreadPoolExecutor
import threading


class Progress:
    def __init__(self, total):
        self.total = total
        self.done = 0
        self.finished = threading.Event()

    def on_done(self, fut):
        self.done += 1
        if self.done == self.total:
            self.finished.set()


def work(n):
    return n * n


def main():
    progress = Progress(2)
    with ThreadPoolExecutor(2) as ex:
        for n in (1, 2):
            ex.submit(work, n).add_done_callback(progress.on_done)
    assert progress.finished.is_set(), f"only {progress.done} of {progress.total} done"


main()
