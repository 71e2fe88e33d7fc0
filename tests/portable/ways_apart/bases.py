import threading

import assay


class First:
    kind = 1


class Second:
    kind = 2


def nothing():
    pass


base = assay.choose(First, Second)
thread = threading.Thread(target=nothing)  # what follows is a step of its own
thread.start()
thread.join()


class Made(base):
    pass


value = Made()
assert value.kind in (1, 2)
