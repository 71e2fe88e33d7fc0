"""A worker spins until it is told to stop; whoever should tell it sets another flag."""

import threading

stop = False
stopped = False


def work():
    while not stop:
        pass


def boss():
    global stopped
    stopped = True


threads = [threading.Thread(target=work, name="worker"), threading.Thread(target=boss, name="boss")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
