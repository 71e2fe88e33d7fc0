import threading


class Account:
    def __init__(self, owner, balance):
        self.owner = owner
        self.balance = balance
        self.lock = threading.Lock()

    def add(self, amount):
        with self.lock:
            self.balance += amount


class Bank:
    def __init__(self):
        self.accounts = [Account("ann", 70), Account("bob", 30)]

    def transfer(self, amount):
        source, target = self.accounts
        source.add(-amount)
        target.add(amount)

    def total(self):
        return sum(account.balance for account in self.accounts)


bank = Bank()
mover = threading.Thread(target=bank.transfer, args=(20,), name="mover")
mover.start()
total = bank.total()
mover.join()
assert total == 100
