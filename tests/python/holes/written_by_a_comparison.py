import threading


class Key:
    def __init__(self):
        self.first = self.second = 0

    def __hash__(self):
        return 1

    def __eq__(self, other):
        self.first += 1
        self.second += 1
        return True


key = Key()
found = {key: 1}


def look_up():
    found[Key()]


def look():
    first = key.first
    second = key.second
    assert first != key.first or first == second


threads = [threading.Thread(target=look_up), threading.Thread(target=look)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
