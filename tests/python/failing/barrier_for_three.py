import threading

barrier = threading.Barrier(3)
data = [0, 0]


def stage(i):
    data[i] = i + 1
    barrier.wait()
    assert sum(data) == 3


ts = [threading.Thread(target=stage, args=(i,)) for i in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
