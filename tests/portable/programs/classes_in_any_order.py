"""Two classes with data, of which each way through the program makes one or both, in its own order."""

import threading

import assay


def left():
    class Left:
        count = 0

    return Left


def right():
    class Right:
        count = 10

    return Right


makers = assay.choose((left, right), (right, left), (right,), (left,))
classes = [make() for make in makers]


def work(one):
    for each in classes:
        each.count += one


threads = [threading.Thread(target=work, args=(n,)) for n in (1, 2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
