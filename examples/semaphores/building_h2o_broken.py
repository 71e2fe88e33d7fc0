"""Building H2O, broken: an oxygen calls hydrogens as soon as there is one, and bonds too early."""

import threading

mutex = threading.Lock()
hydrogens = 0  # who came
hydrogen_queue = threading.Semaphore(0)
hydrogen_is_here = threading.Semaphore(0)


def be_hydrogen():
    global hydrogens
    with mutex:
        hydrogens += 1
    hydrogen_is_here.release()
    hydrogen_queue.acquire()


def be_oxygen():
    hydrogen_is_here.acquire()
    hydrogen_queue.release(2)
    with mutex:
        assert hydrogens == 2, f"a molecule with {hydrogens} hydrogen"


threads = [threading.Thread(target=be) for be in (be_hydrogen, be_oxygen, be_hydrogen)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
