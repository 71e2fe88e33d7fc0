# verdict: bytecode=verified gil=verified sync=violated:data-race
# An object that only frames refer to stays shared, belongs to one thread or is garbage, depending on who has dropped it.
import threading

turns = 0


class Box:
    def __init__(self):
        self.content = 0


def use(box):
    global turns
    box.content = 1
    turns = 1
    del box
    turns = 2
    turns = 3


def main():
    box = Box()
    threads = [threading.Thread(target=use, args=(box,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    box.content = 2
    del box
    for thread in threads:
        thread.join()


main()
