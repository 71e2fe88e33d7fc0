# verdict: bytecode=verified
from threading import Thread

flag = [False, False]
turn = 0
inside = 0


def process(me):
    global turn, inside
    other = 1 - me
    flag[me] = True
    turn = other
    while flag[other] and turn == other:
        pass
    inside += 1
    assert inside == 1
    inside -= 1
    flag[me] = False


a = Thread(target=process, args=(0,))
b = Thread(target=process, args=(1,))
a.start()
b.start()
a.join()
b.join()
