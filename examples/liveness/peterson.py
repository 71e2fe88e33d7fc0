"""Peterson's algorithm: two threads, no lock. Whoever wants to enter gets in, if the scheduler is fair."""

import threading

import assay

wants = [False, False]
turn = 0


def work(me):
    global turn
    other = 1 - me
    while True:
        wants[me] = True
        turn = other
        if me == 0:
            assay.label("waits")
        while wants[other] and turn == other:
            pass
        if me == 0:
            assay.label("inside")
        wants[me] = False


for me, name in enumerate(("Anna", "Bert")):
    threading.Thread(target=work, args=(me,), name=name).start()
