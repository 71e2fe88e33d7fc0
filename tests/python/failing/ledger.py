import threading


class Ledger:
    def __init__(self):
        self.lock = threading.Lock()
        self.accounts = {"cash": 100, "bank": 100}

    def move(self, source, target, amount):
        with self.lock:
            self.accounts[source] -= amount
        with self.lock:
            self.accounts[target] += amount

    def total(self):
        with self.lock:
            return sum(self.accounts.values())


ledger = Ledger()
reports = []


def auditor():
    for _ in range(2):
        reports.append(ledger.total())


mover = threading.Thread(target=ledger.move, args=("cash", "bank", 30), name="mover")
audit = threading.Thread(target=auditor, name="auditor")
mover.start()
audit.start()
mover.join()
audit.join()
assert all(total == 200 for total in reports), f"books do not balance: {reports}"
