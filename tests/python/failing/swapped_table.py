import threading


class Table:
    def __init__(self):
        self.rows, self.saved = {}, {}

    def insert(self, key, value):
        rows = self.rows
        rows[key] = value

    def save(self):
        full = self.rows
        self.rows = {}
        self.saved.update(full)


table = Table()
a = threading.Thread(target=table.insert, args=("k", 1), name="insert")
b = threading.Thread(target=table.save, name="save")
a.start()
b.start()
a.join()
b.join()
assert {**table.saved, **table.rows} == {"k": 1}, "the row is lost"
