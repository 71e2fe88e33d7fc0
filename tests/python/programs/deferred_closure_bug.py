# verdict: gil=violated:assertion
import threading

out = []
ts = []
for i in range(2):
    t = threading.Thread(target=lambda: out.append(i))
    ts.append(t)
    t.start()
for t in ts:
    t.join()
assert sorted(out) == [0, 1], out
