# verdict: bytecode=verified
import threading

seq = 0
x = y = 0


def writer():
    global seq, x, y
    for v in (1, 2):
        seq += 1
        x = v
        y = v
        seq += 1


def reader():
    while True:
        s = seq
        if s & 1:
            continue
        a, b = x, y
        if seq == s:
            break
    assert a == b


w = threading.Thread(target=writer)
r = threading.Thread(target=reader)
w.start()
r.start()
w.join()
r.join()
