"""Who does not get the second lock at once gives the first one back and tries again: no deadlock."""

import threading

locks = [threading.Lock(), threading.Lock()]
done = [False, False]


def work(number):
    first, second = locks[number], locks[1 - number]
    while not done[number]:
        with first:
            if second.acquire(blocking=False):
                done[number] = True
                second.release()


threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert all(done)
