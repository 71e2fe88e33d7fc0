"""Two transfers in opposite directions lock the accounts in opposite orders: a deadlock."""

import threading


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.lock = threading.Lock()


def transfer(source, target, amount):
    with source.lock, target.lock:
        source.balance -= amount
        target.balance += amount


ann, bob = Account(10), Account(10)
threads = [
    threading.Thread(target=transfer, args=(ann, bob, 3)),
    threading.Thread(target=transfer, args=(bob, ann, 5)),
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
