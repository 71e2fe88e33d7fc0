"""Readers and writers with a turnstile: when a writer waits, later readers queue up behind it."""

import threading

import assay

READERS = 2
WRITERS = 1

turnstile = threading.Semaphore(1)
room_empty = threading.Semaphore(1)
mutex = threading.Lock()
readers = 0
reading = [False] * READERS
writing = [False] * WRITERS


def read(number):
    global readers
    with turnstile:
        pass
    with mutex:
        readers += 1
        if readers == 1:
            room_empty.acquire()
    reading[number] = True
    reading[number] = False
    with mutex:
        readers -= 1
        if readers == 0:
            room_empty.release()


def write(number):
    with turnstile:
        room_empty.acquire()
        writing[number] = True
        writing[number] = False
    room_empty.release()


assay.invariant(lambda: sum(writing) <= 1, name="one writer at most")
assay.invariant(lambda: not (any(reading) and any(writing)), name="nobody reads while one writes")
threads = [threading.Thread(target=read, args=(number,)) for number in range(READERS)]
threads += [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
