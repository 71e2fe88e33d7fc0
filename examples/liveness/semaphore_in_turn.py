"""A semaphore that serves in turn: everybody stands in line, and waits to be the first."""

import threading
from collections import deque

import assay

line = deque()


def through(me):
    line.append(me)
    while line[0] != me:
        pass
    if me == "guest":
        assay.label("served")
    line.popleft()


def regular():
    while True:
        through("Anna")


def guest():
    assay.label("waits")
    through("guest")


threading.Thread(target=regular, name="Anna").start()
threading.Thread(target=guest, name="guest").start()
