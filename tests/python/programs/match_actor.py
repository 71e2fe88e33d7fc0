# verdict: bytecode=verified
from __future__ import annotations
import queue
import threading
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Deposit:
    amount: int


@dataclass(frozen=True)
class Withdraw:
    amount: int
    reply: queue.Queue


@dataclass(frozen=True)
class Stop:
    pass


class AccountActor(threading.Thread):
    def __init__(self):
        super().__init__(name="account")
        self.inbox: queue.Queue[Any] = queue.Queue()
        self.balance = 0

    def run(self) -> None:
        while True:
            match self.inbox.get():
                case Deposit(amount=a):
                    self.balance += a
                case Withdraw(a, reply) if a <= self.balance:
                    self.balance -= a
                    reply.put(True)
                case Withdraw(reply=reply):
                    reply.put(False)
                case Stop():
                    return
                case other:
                    raise TypeError(f"unknown {other!r}")


def client(actor, n, results):
    actor.inbox.put(Deposit(n))
    reply = queue.Queue()
    actor.inbox.put(Withdraw(n, reply))
    results.append(reply.get())


actor = AccountActor()
actor.start()
results = []
clients = [threading.Thread(target=client, args=(actor, n, results)) for n in (1, 2)]
for c in clients:
    c.start()
for c in clients:
    c.join()
actor.inbox.put(Stop())
actor.join()
assert actor.balance >= 0
assert results.count(True) >= 1
