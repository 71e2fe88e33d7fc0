import threading
from collections import deque

tasks = deque([1, 2, 3])
results = []


def owner():
    while tasks:
        results.append(tasks.pop())


def thief():
    if len(tasks) > 0:
        task = tasks.popleft()
        results.append(task)


a = threading.Thread(target=owner, name="owner")
b = threading.Thread(target=thief, name="thief")
a.start()
b.start()
a.join()
b.join()
