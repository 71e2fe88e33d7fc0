"""Without the assumption there is an input for which the stock does not suffice."""

import threading

import assay

stock = assay.choose(0, 1, 2, 3)
orders = [assay.choose(1, 2), assay.choose(1, 2)]
lock = threading.Lock()


def deliver(amount):
    global stock
    with lock:
        stock -= amount


assay.invariant(lambda: stock >= 0, name="nothing is delivered that is not there")
threads = [threading.Thread(target=deliver, args=(amount,)) for amount in orders]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
