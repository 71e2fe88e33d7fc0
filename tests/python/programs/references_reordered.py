# verdict: bytecode=verified gil=verified sync=violated:data-race
# Objects that only frames refer to are numbered by the order in which the first thread that has them refers to them.
import threading

turns = 0


class Box:
    def __init__(self):
        self.content = 0


def use(first, second):
    global turns
    first.content = 1
    second.content = 2
    turns = 1
    first, second = second, first
    turns = 2
    first.content = 3
    del first
    turns = 3
    second.content = 4


def main():
    one, other = Box(), Box()
    threads = [threading.Thread(target=use, args=pair) for pair in ((one, other), (other, one))]
    for thread in threads:
        thread.start()
    other.content = 5
    del one, other
    for thread in threads:
        thread.join()


main()
