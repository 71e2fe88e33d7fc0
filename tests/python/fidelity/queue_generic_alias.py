# fails
import queue

q = queue.Queue()
assert isinstance(q, queue.Queue[int])
