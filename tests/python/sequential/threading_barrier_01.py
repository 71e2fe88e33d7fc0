import threading

b = threading.Barrier(1)
print(b.wait(), b.wait(), b.parties, b.n_waiting, b.broken)
two = threading.Barrier(2)
try:
    two.wait(timeout=0.01)
except threading.BrokenBarrierError:
    print("broken", two.broken)
two.reset()
print(two.broken)
two.abort()
try:
    two.wait()
except threading.BrokenBarrierError:
    print("aborted")
acted = threading.Barrier(1, action=lambda: print("action"))
acted.wait()
