import threading


class Account:
    def __init__(self, owner, balance):
        self.owner = owner
        self.balance = balance

    def withdraw(self, amount):
        if self.balance >= amount:
            self.balance -= amount
            return True
        return False

    def deposit(self, amount):
        self.balance += amount


def transfer(source, target, amount):
    if source.withdraw(amount):
        target.deposit(amount)


def main():
    alice = Account("alice", 100)
    bob = Account("bob", 50)
    one = threading.Thread(target=transfer, args=(alice, bob, 80), name="rent")
    two = threading.Thread(target=transfer, args=(alice, bob, 60), name="food")
    one.start()
    two.start()
    one.join()
    two.join()
    assert alice.balance >= 0, alice.balance
    assert alice.balance + bob.balance == 150


if __name__ == "__main__":
    main()
