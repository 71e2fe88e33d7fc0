"""Dining savages: who finds the pot empty wakes the cook and waits until it is full again."""

import threading

import assay

SAVAGES = 2
SERVINGS = 1

mutex = threading.Lock()
servings = 0
pot_is_empty = threading.Semaphore(0)
pot_is_full = threading.Semaphore(0)
eaten = 0


def cook():
    global servings
    while True:
        pot_is_empty.acquire()
        assert servings == 0, "the cook fills a pot that is not empty"
        servings = SERVINGS
        pot_is_full.release()


def eat():
    global servings, eaten
    with mutex:
        if servings == 0:
            pot_is_empty.release()
            pot_is_full.acquire()
        servings -= 1
        eaten += 1


assay.invariant(lambda: 0 <= servings <= SERVINGS, name="the pot holds what it can")
threading.Thread(target=cook, daemon=True).start()
threads = [threading.Thread(target=eat) for _ in range(SAVAGES)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert eaten == SAVAGES
