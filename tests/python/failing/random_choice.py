import random
import threading

balance = 10


def spend():
    global balance
    amount = random.choice([1, 5, 20])
    if balance >= amount:
        balance -= amount
    assert balance >= 0


def main():
    threads = [threading.Thread(target=spend) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert balance != 5, balance


main()
