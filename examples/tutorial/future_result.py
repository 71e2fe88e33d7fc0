"""A future set by hand: whoever asks for the result waits until it is there."""

import threading
from concurrent.futures import Future

answer = Future()


def compute():
    answer.set_result(6 * 7)


worker = threading.Thread(target=compute)
worker.start()
assert answer.result() == 42
worker.join()
assert answer.done()
