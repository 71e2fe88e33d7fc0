"""Santa Claus sleeps until all reindeer are back or a group of elves needs help."""

import threading

REINDEER = 2
ELVES = 2
GROUP = 2  # of elves

mutex = threading.Lock()
santa = threading.Semaphore(0)
reindeer = 0
reindeer_hitched = threading.Semaphore(0)
elves = 0
elf_door = threading.Semaphore(1)
elf_helped = threading.Semaphore(0)


def be_santa():
    global reindeer
    while True:
        santa.acquire()
        with mutex:
            if reindeer == REINDEER:
                reindeer = 0
                reindeer_hitched.release(REINDEER)
            else:
                assert elves == GROUP, "woken for nothing"
                elf_helped.release(GROUP)


def be_reindeer():
    global reindeer
    with mutex:
        reindeer += 1
        if reindeer == REINDEER:
            santa.release()
    reindeer_hitched.acquire()


def be_elf():
    global elves
    elf_door.acquire()
    with mutex:
        elves += 1
        if elves == GROUP:
            santa.release()
        else:
            elf_door.release()
    elf_helped.acquire()
    with mutex:
        elves -= 1
        if elves == 0:
            elf_door.release()


threading.Thread(target=be_santa, name="santa", daemon=True).start()
threads = [threading.Thread(target=be_reindeer) for _ in range(REINDEER)]
threads += [threading.Thread(target=be_elf) for _ in range(ELVES)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert elves == reindeer == 0
