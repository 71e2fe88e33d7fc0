"""The barber looks for customers, and sleeps if there are none. One who comes in between rings in vain."""

import threading

bell = threading.Condition()
customers = 0
cut = False


def barber():
    global cut
    if customers == 0:
        with bell:
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
