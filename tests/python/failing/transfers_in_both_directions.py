import threading


class Account:
    def __init__(self, balance):
        self.balance = balance
        self.lock = threading.Lock()


def transfer(source, target, amount):
    with source.lock:
        with target.lock:
            source.balance -= amount
            target.balance += amount


savings = Account(100)
checking = Account(100)
t1 = threading.Thread(target=transfer, args=(savings, checking, 10))
t2 = threading.Thread(target=transfer, args=(checking, savings, 20))
t1.start()
t2.start()
t1.join()
t2.join()
