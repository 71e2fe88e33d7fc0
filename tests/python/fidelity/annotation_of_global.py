# fails
from queue import Queue

tasks: Qeue[int] = Queue()
tasks.put(1)
