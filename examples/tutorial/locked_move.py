"""A lock keeps other threads out, but an invariant looks into every state, also under the lock."""

import threading

import assay

left, right = 3, 0
lock = threading.Lock()


def move():
    global left, right
    with lock:
        left -= 1
        right += 1


assay.invariant(lambda: left + right == 3, name="nothing is lost on the way")
threads = [threading.Thread(target=move) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
