"""Within `assay.atomic()` nobody sees what is in between: the sum is right in every state."""

import threading

import assay

left, right = 3, 0


def move():
    global left, right
    with assay.atomic():
        left -= 1
        right += 1


assay.invariant(lambda: left + right == 3, name="nothing is lost on the way")
threads = [threading.Thread(target=move) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert (left, right) == (1, 2)
