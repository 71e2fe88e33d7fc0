"""Looking and taking under one lock: the account is never overdrawn."""

import threading

import assay


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.lock = threading.Lock()

    def withdraw(self, amount):
        with self.lock:
            if self.balance >= amount:
                self.balance -= amount


account = Account(100)
assay.invariant(lambda: account.balance >= 0, name="the account is not overdrawn")

threads = [threading.Thread(target=account.withdraw, args=(amount,)) for amount in (80, 70)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert account.balance in {20, 30}
