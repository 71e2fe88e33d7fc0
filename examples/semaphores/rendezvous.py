"""Rendezvous: neither of two threads does its second step before the other has done its first."""

import threading

a_arrived = threading.Semaphore(0)
b_arrived = threading.Semaphore(0)
steps = []


def run_a():
    steps.append("a1")
    a_arrived.release()
    b_arrived.acquire()
    assert "b1" in steps
    steps.append("a2")


def run_b():
    steps.append("b1")
    b_arrived.release()
    a_arrived.acquire()
    assert "a1" in steps
    steps.append("b2")


threads = [threading.Thread(target=run_a), threading.Thread(target=run_b)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(steps) == 4
