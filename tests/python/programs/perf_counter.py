# verdict: bytecode=verified
import time, threading


def work():
    time.sleep(0.01)


start = time.perf_counter()
ts = [threading.Thread(target=work) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
end = time.perf_counter()
print(f"took {end - start:.2f} seconds")
print("took %.2f" % (end - start))
print("took", round(end - start, 2))
