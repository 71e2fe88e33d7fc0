"""Two threads need two locks each. Whoever finds the second one taken gives the first one back."""

import threading

left = threading.Lock()
right = threading.Lock()


def work(first, second):
    while True:
        first.acquire()
        if second.acquire(blocking=False):
            break
        first.release()
    second.release()
    first.release()


threads = [
    threading.Thread(target=work, args=(left, right), name="Anna"),
    threading.Thread(target=work, args=(right, left), name="Bert"),
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
