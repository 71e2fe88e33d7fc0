"""Two threads take a semaphore again and again; a third one wants it once. Whoever is first takes it."""

import threading

import assay

places = threading.Semaphore(1)


def regular():
    while True:
        with places:
            pass


def guest():
    assay.label("waits")
    with places:
        assay.label("served")


threading.Thread(target=regular, name="Anna").start()
threading.Thread(target=guest, name="guest").start()
