# verdict: bytecode=violated:deadlock
from __future__ import annotations
from dataclasses import dataclass, field
import threading


@dataclass
class Account:
    name: str
    balance: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock, repr=False)


def transfer(src: Account, dst: Account, amount: int) -> None:
    with src.lock:
        with dst.lock:
            src.balance -= amount
            dst.balance += amount


a = Account("alice", 100)
b = Account("bob", 100)
t1 = threading.Thread(target=transfer, args=(a, b, 10))
t2 = threading.Thread(target=transfer, args=(b, a, 20))
t1.start()
t2.start()
t1.join()
t2.join()
assert a.balance + b.balance == 200
