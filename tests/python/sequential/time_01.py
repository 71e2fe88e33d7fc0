import time

a = time.monotonic()
time.sleep(0)
b = time.monotonic()
print(b >= a, time.time() > 0, time.perf_counter() <= time.perf_counter())
time.sleep(0.001)
print("slept")
try:
    time.sleep(-1)
except ValueError:
    print("negative")
