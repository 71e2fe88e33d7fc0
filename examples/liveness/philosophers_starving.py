"""Two philosophers eat again and again, each with one of the two forks that a third one needs."""

import threading

import assay

left = threading.Lock()
right = threading.Lock()


def neighbour(fork):
    while True:
        with fork:
            pass


def middle():
    assay.label("hungry")
    while True:
        left.acquire()
        if right.acquire(blocking=False):
            break
        left.release()
    assay.label("eats")
    right.release()
    left.release()


threading.Thread(target=neighbour, args=(left,), name="Plato").start()
threading.Thread(target=neighbour, args=(right,), name="Kant").start()
threading.Thread(target=middle, name="Hypatia").start()
