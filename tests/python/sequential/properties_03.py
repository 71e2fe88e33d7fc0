# validation in a setter, called from __init__
class Account:
    def __init__(self, balance):
        self.balance = balance

    @property
    def balance(self):
        return self._balance

    @balance.setter
    def balance(self, value):
        if value < 0:
            raise ValueError(f"negative: {value}")
        self._balance = value


a = Account(5)
a.balance -= 3
print(a.balance)
for bad in (lambda: Account(-1), lambda: setattr(a, "balance", -2)):
    try:
        bad()
    except ValueError as error:
        print(error)
print(a.balance, Account.balance.fget(a))
