# fails
import operator
import threading


class Job:
    def __init__(self):
        self.number = 0


job = Job()
number = operator.attrgetter("number")
seen = []


def one():
    job.number = 1


def two():
    seen.append(number(job))
    seen.append(number(job))


ts = [threading.Thread(target=f) for f in (one, two)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert seen[0] == seen[1]
