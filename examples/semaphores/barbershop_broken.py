"""Barbershop, broken: customers count themselves without a lock, and the shop gets too full."""

import threading

import assay

CUSTOMERS = 2
CAPACITY = 1

inside = []
customer_is_here = threading.Semaphore(0)
barber_is_ready = threading.Semaphore(0)


def cut_hair():
    while True:
        customer_is_here.acquire()
        barber_is_ready.release()


def visit(customer):
    if len(inside) == CAPACITY:
        return
    inside.append(customer)
    customer_is_here.release()
    barber_is_ready.acquire()
    inside.remove(customer)


assay.invariant(lambda: len(inside) <= CAPACITY, name="the shop is not too full")
threading.Thread(target=cut_hair, daemon=True).start()
threads = [threading.Thread(target=visit, args=(customer,)) for customer in range(CUSTOMERS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
