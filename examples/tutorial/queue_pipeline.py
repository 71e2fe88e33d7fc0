"""Three threads joined by queues: read, square, add up. A mark at the end stops them in order."""

import queue
import threading

END = None

numbers = queue.Queue(maxsize=1)
squares = queue.Queue(maxsize=1)
total = 0


def read():
    for number in (1, 2):
        numbers.put(number)
    numbers.put(END)


def square():
    while (number := numbers.get()) is not END:
        squares.put(number * number)
    squares.put(END)


def add_up():
    global total
    while (number := squares.get()) is not END:
        total += number


threads = [threading.Thread(target=step) for step in (read, square, add_up)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert total == 5
