"""A dictionary changes its size while another thread walks through it: only some schedules fail."""

import threading

prices = {"apple": 3, "pear": 4}


def add():
    prices["plum"] = 5


def total():
    result = 0
    for price in prices.values():
        result += price
    return result


threads = [threading.Thread(target=add), threading.Thread(target=total)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
