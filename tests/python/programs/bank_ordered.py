# verdict: bytecode=verified
from dataclasses import dataclass, field
from threading import Lock, Thread


@dataclass(order=True)
class Account:
    number: int
    balance: int = field(compare=False, default=0)
    lock: Lock = field(default_factory=Lock, compare=False, repr=False)


def transfer(src, dst, amount):
    first, second = sorted((src, dst))
    with first.lock, second.lock:
        if src.balance >= amount:
            src.balance -= amount
            dst.balance += amount


accounts = [Account(i, 50) for i in range(2)]
threads = [
    Thread(target=transfer, args=(accounts[0], accounts[1], 30)),
    Thread(target=transfer, args=(accounts[1], accounts[0], 70)),
]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert sum(a.balance for a in accounts) == 100
assert all(a.balance >= 0 for a in accounts)
