import threading


class Key:
    def __init__(self, number):
        self.number = number

    def __hash__(self):
        return 1

    def __eq__(self, other):
        return self.number == other.number


numbers = {Key(1): 0, Key(2): 0}


def update():
    numbers.update({Key(1): 1, Key(2): 1})


def look():
    assert list(numbers.values()) in ([0, 0], [1, 1])


threads = [threading.Thread(target=update), threading.Thread(target=look)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
