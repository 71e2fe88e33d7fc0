"""Readers and writers: the first reader turns the light on, the last one off; writers need it dark.

Writers may starve while readers come and go: no safety property, so nothing is reported.
"""

import threading

import assay

READERS = 2
WRITERS = 1


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


room_empty = threading.Semaphore(1)
switch = LightSwitch()
reading = [False] * READERS
writing = [False] * WRITERS


def read(number):
    switch.enter(room_empty)
    reading[number] = True
    reading[number] = False
    switch.leave(room_empty)


def write(number):
    with room_empty:
        writing[number] = True
        writing[number] = False


assay.invariant(lambda: sum(writing) <= 1, name="one writer at most")
assay.invariant(lambda: not (any(reading) and any(writing)), name="nobody reads while one writes")
threads = [threading.Thread(target=read, args=(number,)) for number in range(READERS)]
threads += [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
