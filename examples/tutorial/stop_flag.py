"""A thread works until it is told to stop by a flag: fine, since reading a name is one step."""

import threading

running = True
beat = False


def work():
    global beat
    while running:
        beat = not beat


worker = threading.Thread(target=work)
worker.start()
running = False
worker.join()
