"""Shared bathroom: women and men are never inside together, and at most LIMIT people are inside.

Two light switches over one empty room, and a multiplex for each kind.
"""

import threading

import assay

WOMEN = 2
MEN = 1
LIMIT = 1


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
switches = {"women": LightSwitch(), "men": LightSwitch()}
multiplexes = {"women": threading.Semaphore(LIMIT), "men": threading.Semaphore(LIMIT)}
inside = []


def visit(kind):
    switches[kind].enter(room_empty)
    with multiplexes[kind]:
        inside.append(kind)
        inside.remove(kind)
    switches[kind].leave(room_empty)


assay.invariant(lambda: len(inside) <= LIMIT, name="the bathroom is not too full")
assay.invariant(lambda: not ("women" in inside and "men" in inside), name="one kind at a time")
threads = [threading.Thread(target=visit, args=(kind,)) for kind in ["women"] * WOMEN + ["men"] * MEN]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
