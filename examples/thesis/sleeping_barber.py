"""Sleeping barber: barbers sleep while no customer waits; customers leave if no chair is free.

A customer who found a chair stays until he is shaved. The barbers are daemons: the shop closes
when the last customer has gone.
"""

import collections
import threading

import assay

BARBERS = 1  # in the thesis: 2
CUSTOMERS = 2  # 4
CHAIRS = 1  # 3

changed = threading.Condition()  # guards everything below
waiting = collections.deque()
shaved = [False] * CUSTOMERS
asleep = 0
shaving = 0


def keep_shaving():
    global asleep, shaving
    while True:
        with changed:
            while not waiting:
                asleep += 1
                changed.wait()
                asleep -= 1
            assert waiting, "there is nobody to shave"
            customer = waiting.popleft()
            assert not shaved[customer], "a customer is shaved a second time"
            shaving += 1
        with changed:
            shaving -= 1
            shaved[customer] = True
            changed.notify_all()


def visit(customer):
    with changed:
        if len(waiting) == CHAIRS:
            return
        assert customer not in waiting, "a customer takes two chairs"
        waiting.append(customer)
        changed.notify_all()
        while not shaved[customer]:
            changed.wait()
        assert customer not in waiting, "a customer is shaved in the waiting room"


def main():
    assay.invariant(lambda: len(waiting) <= CHAIRS, name="no more customers wait than there are chairs")
    assay.invariant(lambda: 0 <= asleep <= BARBERS, name="only barbers sleep")
    assay.invariant(lambda: 0 <= shaving <= BARBERS, name="a barber shaves one customer at a time")
    assay.invariant(lambda: asleep + shaving <= BARBERS, name="no barber shaves asleep")
    for number in range(BARBERS):
        threading.Thread(target=keep_shaving, name=f"barber {number}", daemon=True).start()
    customers = [threading.Thread(target=visit, args=(customer,)) for customer in range(CUSTOMERS)]
    for customer in customers:
        customer.start()
    for customer in customers:
        customer.join()
    assert not waiting, "somebody was forgotten"


if __name__ == "__main__":
    main()
