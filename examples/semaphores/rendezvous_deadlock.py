"""Rendezvous, broken: both wait before they tell that they are there."""

import threading

a_arrived = threading.Semaphore(0)
b_arrived = threading.Semaphore(0)


def run_a():
    b_arrived.acquire()
    a_arrived.release()


def run_b():
    a_arrived.acquire()
    b_arrived.release()


threads = [threading.Thread(target=run_a), threading.Thread(target=run_b)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
