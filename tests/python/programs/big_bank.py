# verdict: sync=verified
from __future__ import annotations
import threading
from dataclasses import dataclass, field
from typing import Iterator


class InsufficientFunds(Exception):
    def __init__(self, needed: int, available: int) -> None:
        super().__init__(f"need {needed}, have {available}")
        self.needed = needed


@dataclass
class Account:
    ident: int
    balance: int
    lock: threading.RLock = field(default_factory=threading.RLock, repr=False, compare=False)
    history: list[str] = field(default_factory=list)

    def withdraw(self, amount: int) -> None:
        with self.lock:
            if amount > self.balance:
                raise InsufficientFunds(amount, self.balance)
            self.balance -= amount
            self.history.append(f"-{amount}")

    def deposit(self, amount: int) -> None:
        with self.lock:
            self.balance += amount
            self.history.append(f"+{amount}")


@dataclass
class Bank:
    accounts: dict[int, Account] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Account]:
        return iter(self.accounts.values())

    def open(self, ident: int, balance: int) -> Account:
        self.accounts[ident] = Account(ident, balance)
        return self.accounts[ident]

    def transfer(self, src: int, dst: int, amount: int) -> bool:
        a, b = self.accounts[src], self.accounts[dst]
        first, second = (a, b) if a.ident < b.ident else (b, a)
        with first.lock, second.lock:
            try:
                a.withdraw(amount)
            except InsufficientFunds as e:
                print(f"{src}->{dst}: {e}")
                return False
            b.deposit(amount)
            return True

    @property
    def total(self) -> int:
        return sum(a.balance for a in self)


def main() -> None:
    bank = Bank()
    for i in range(2):
        bank.open(i, 5)
    ts = [threading.Thread(target=bank.transfer, args=x) for x in ((0, 1, 4), (1, 0, 7))]
    for t in ts:
        t.start()
    for t in ts:
        t.join()
    assert bank.total == 10
    assert all(a.balance >= 0 for a in bank)


if __name__ == "__main__":
    main()
