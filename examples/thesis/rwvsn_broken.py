"""RWVSN, broken: a writer who was woken does not look again.

The end of a reading or writing wakes all who wait, and two writers, or a writer and a reader, may
go on: an invariant fails.
"""

import threading

import assay

READERS = 2  # in the thesis: 4
WRITERS = 1  # 4


class ReadersWriters:
    def __init__(self):
        self.active_readers = 0
        self.active_writers = 0
        self.waiting_writers = 0
        self.data = False
        self.changed = threading.Condition()

    def read(self):
        self.before_read()
        assert self.active_writers == 0, "a writer is active while somebody reads"
        seen = self.data
        assert seen == self.data, "the data changed under a reader"
        self.after_read()

    def write(self):
        self.before_write()
        assert self.active_readers == 0, "a reader is active while somebody writes"
        self.data = not self.data
        assert self.active_writers == 1, "two writers are active"
        self.after_write()

    def before_read(self):
        with self.changed:
            while self.active_writers > 0 or self.waiting_writers > 0:
                self.changed.wait()
            self.active_readers += 1

    def after_read(self):
        with self.changed:
            self.active_readers -= 1
            self.changed.notify_all()

    def before_write(self):
        with self.changed:
            self.waiting_writers += 1
            if self.active_readers > 0 or self.active_writers > 0:
                self.changed.wait()
            self.waiting_writers -= 1
            self.active_writers += 1

    def after_write(self):
        with self.changed:
            self.active_writers -= 1
            self.changed.notify_all()


shared = ReadersWriters()


def keep_reading():
    while True:
        shared.read()


def keep_writing():
    while True:
        shared.write()


def main():
    assay.invariant(lambda: shared.active_writers in {0, 1}, name="one writer at most")
    assay.invariant(
        lambda: shared.active_readers == 0 or shared.active_writers == 0, name="nobody reads while one writes"
    )
    assay.invariant(
        lambda: 0 <= shared.active_readers <= READERS and 0 <= shared.waiting_writers <= WRITERS,
        name="counts are within bounds",
    )
    threads = [threading.Thread(target=keep_reading) for _ in range(READERS)]
    threads += [threading.Thread(target=keep_writing) for _ in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
