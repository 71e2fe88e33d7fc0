"""Two withdrawals look at the balance before either takes the money: the account is overdrawn."""

import threading

import assay


class Account:
    def __init__(self, balance):
        self.balance = balance

    def withdraw(self, amount):
        if self.balance >= amount:
            self.balance -= amount


account = Account(100)
assay.invariant(lambda: account.balance >= 0, name="the account is not overdrawn")

threads = [threading.Thread(target=account.withdraw, args=(amount,)) for amount in (80, 70)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
