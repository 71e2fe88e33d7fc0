"""Building H2O: two hydrogens and an oxygen go over the barrier together, or wait."""

import threading

import assay

MOLECULES = 1
SIZE = 3

mutex = threading.Semaphore(1)
hydrogens = oxygens = 0  # who wait
hydrogen_queue = threading.Semaphore(0)
oxygen_queue = threading.Semaphore(0)
barrier = threading.Barrier(SIZE)
bonded = []


def call_three():
    """Called with the mutex, which the oxygen of the three gives back."""
    global hydrogens, oxygens
    hydrogens -= 2
    oxygens -= 1
    hydrogen_queue.release(2)
    oxygen_queue.release()


def be_hydrogen():
    global hydrogens
    mutex.acquire()
    hydrogens += 1
    if hydrogens >= 2 and oxygens >= 1:
        call_three()
    else:
        mutex.release()
    hydrogen_queue.acquire()
    bonded.append("H")
    barrier.wait()


def be_oxygen():
    global oxygens
    mutex.acquire()
    oxygens += 1
    if hydrogens >= 2:
        call_three()
    else:
        mutex.release()
    oxygen_queue.acquire()
    bonded.append("O")
    barrier.wait()
    mutex.release()


def molecules_are_water() -> bool:
    return all(sorted(bonded[at : at + SIZE]) == ["H", "H", "O"] for at in range(0, len(bonded) - 2, SIZE))


assay.invariant(molecules_are_water, name="molecules are water")
threads = [threading.Thread(target=be) for be in (be_hydrogen, be_oxygen, be_hydrogen) * MOLECULES]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(bonded) == MOLECULES * SIZE
