def account(balance):
    def deposit(amount):
        nonlocal balance
        balance += amount
        return balance

    def read():
        return balance

    return deposit, read


deposit, read = account(10)
deposit(5)
print(read())
deposit(-3)
print(read())
