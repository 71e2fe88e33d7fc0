# verdict: bytecode=verified
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


def nothing():
    pass


def pause():
    thread = threading.Thread(target=nothing)
    thread.start()
    thread.join()


first, second = assay.choose((left, right), (right, left))
one = first()
pause()
two = second()
pause()
for each in (one, two):
    assert each.count in (0, 10), each.count
    each.count += 1
    pause()
    assert each.count in (1, 11), each.count
    each.count += 1
    pause()
