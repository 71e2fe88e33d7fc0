"""Whichever direction a transfer has, the account with the smaller number is locked first."""

import threading


class Account:
    def __init__(self, number, balance):
        self.number = number
        self.balance = balance
        self.lock = threading.Lock()


def transfer(source, target, amount):
    first, second = sorted((source, target), key=lambda account: account.number)
    with first.lock, second.lock:
        source.balance -= amount
        target.balance += amount


ann, bob = Account(1, 10), Account(2, 10)
threads = [
    threading.Thread(target=transfer, args=(ann, bob, 3)),
    threading.Thread(target=transfer, args=(bob, ann, 5)),
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert (ann.balance, bob.balance) == (12, 8)
