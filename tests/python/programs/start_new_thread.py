# verdict: bytecode=verified
import _thread, time

done = [False, False]
lock = _thread.allocate_lock()


def work(i, delay):
    time.sleep(delay)
    with lock:
        done[i] = True


for i in range(2):
    _thread.start_new_thread(work, (i, 1))
while True:
    with lock:
        if all(done):
            break
print("ok")
