import threading


class Key:
    def __init__(self, number):
        self.number = number

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return self.number == other.number


keys = {Key(1), Key(2), Key(3)}


def update():
    keys.difference_update({Key(2), Key(3)})


def look():
    assert len(keys) in (1, 3)


threads = [threading.Thread(target=update), threading.Thread(target=look)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
