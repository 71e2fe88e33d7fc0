"""Readers and writers, broken: readers are counted without a lock.

When two readers lose a count, the first to leave turns the light off while the other still reads.
"""

import threading

import assay

READERS = 2
WRITERS = 1

room_empty = threading.Semaphore(1)
readers = 0
reading = [False] * READERS
writing = [False] * WRITERS


def read(number):
    global readers
    readers += 1
    if readers == 1:
        room_empty.acquire()
    reading[number] = True
    reading[number] = False
    readers -= 1
    if readers == 0:
        room_empty.release()


def write(number):
    with room_empty:
        writing[number] = True
        writing[number] = False


assay.invariant(lambda: not (any(reading) and any(writing)), name="nobody reads while one writes")
threads = [threading.Thread(target=read, args=(number,)) for number in range(READERS)]
threads += [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
