# coroutines by hand: a round robin scheduler of generators
from collections import deque


def task(name, n):
    for i in range(n):
        print(name, i)
        yield
    return name


def run(tasks):
    ready, finished = deque(tasks), []
    while ready:
        t = ready.popleft()
        try:
            next(t)
        except StopIteration as stop:
            finished.append(stop.value)
        else:
            ready.append(t)
    return finished


print(run([task("a", 2), task("b", 1), task("c", 3)]))
