"""Readers and writers with priority: while writers wait or write, no reader comes in."""

import threading

import assay

READERS = 2
WRITERS = 2


class LightSwitch:
    def __init__(self):
        self.people = 0
        self.mutex = threading.Lock()

    def enter(self, room):
        with self.mutex:
            self.people += 1
            if self.people == 1:
                room.acquire()

    def leave(self, room):
        with self.mutex:
            self.people -= 1
            if self.people == 0:
                room.release()


no_readers = threading.Semaphore(1)
no_writers = threading.Semaphore(1)
reader_switch = LightSwitch()
writer_switch = LightSwitch()
reading = [False] * READERS
writing = [False] * WRITERS


def read(number):
    with no_readers:
        reader_switch.enter(no_writers)
    reading[number] = True
    reading[number] = False
    reader_switch.leave(no_writers)


def write(number):
    writer_switch.enter(no_readers)
    with no_writers:
        writing[number] = True
        writing[number] = False
    writer_switch.leave(no_readers)


assay.invariant(lambda: sum(writing) <= 1, name="one writer at most")
assay.invariant(lambda: not (any(reading) and any(writing)), name="nobody reads while one writes")
threads = [threading.Thread(target=read, args=(number,)) for number in range(READERS)]
threads += [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
