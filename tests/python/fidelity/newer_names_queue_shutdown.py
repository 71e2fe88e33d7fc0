# fails
import queue

q = queue.Queue()
q.shutdown()
