# verdict: bytecode=verified
import threading

N = 2
choosing = [False] * N
number = [0] * N
critical = []


def lock(i):
    choosing[i] = True
    number[i] = 1 + max(number)
    choosing[i] = False
    for j in range(N):
        if j == i:
            continue
        while choosing[j]:
            pass
        while number[j] != 0 and (number[j], j) < (number[i], i):
            pass


def unlock(i):
    number[i] = 0


def work(i):
    lock(i)
    critical.append(i)
    assert critical == [i]
    critical.pop()
    unlock(i)


ts = [threading.Thread(target=work, args=(i,)) for i in range(N)]
for t in ts:
    t.start()
for t in ts:
    t.join()
