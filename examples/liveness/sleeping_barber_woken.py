"""The barber looks whether somebody is there while he has the bell, and again when he was woken."""

import threading

bell = threading.Condition()
customers = 0
cut = False


def barber():
    global cut
    with bell:
        while customers == 0:
            bell.wait()
    cut = True


def customer():
    global customers
    with bell:
        customers += 1
        bell.notify()


threads = [threading.Thread(target=barber, name="barber"), threading.Thread(target=customer, name="customer")]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
