"""Barbershop: a customer who finds the shop full goes away; others meet the barber twice."""

import threading

import assay

CUSTOMERS = 2
CAPACITY = 1

mutex = threading.Lock()
customers = 0  # in the shop
customer_is_here = threading.Semaphore(0)
barber_is_ready = threading.Semaphore(0)
customer_is_done = threading.Semaphore(0)
barber_is_done = threading.Semaphore(0)


def cut_hair():
    while True:
        customer_is_here.acquire()
        barber_is_ready.release()
        customer_is_done.acquire()
        barber_is_done.release()


def visit():
    global customers
    with mutex:
        if customers == CAPACITY:
            return
        customers += 1
    customer_is_here.release()
    barber_is_ready.acquire()
    customer_is_done.release()
    barber_is_done.acquire()
    with mutex:
        customers -= 1


assay.invariant(lambda: 0 <= customers <= CAPACITY, name="the shop is not too full")
threading.Thread(target=cut_hair, daemon=True).start()
threads = [threading.Thread(target=visit) for _ in range(CUSTOMERS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
