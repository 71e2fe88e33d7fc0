# a bank with its own errors
class BankError(Exception):
    pass


class InsufficientFunds(BankError):
    def __init__(self, needed, available):
        super().__init__(f"needed {needed}, available {available}")
        self.missing = needed - available


class Account:
    def __init__(self, owner, balance=0):
        self.owner, self.balance, self.log = owner, balance, []

    def withdraw(self, amount):
        if amount > self.balance:
            raise InsufficientFunds(amount, self.balance)
        self.balance -= amount
        self.log.append(("withdraw", amount))


def transfer(a, b, amount):
    a.withdraw(amount)
    b.balance += amount
    b.log.append(("from", a.owner, amount))


a, b = Account("ann", 100), Account("bob")
for amount in (30, 80):
    try:
        transfer(a, b, amount)
    except BankError as error:
        print("failed:", error, "missing", error.missing)
print(a.balance, b.balance, a.log, b.log)
