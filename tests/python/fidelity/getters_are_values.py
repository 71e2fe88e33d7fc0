# holds
import operator
import threading

pairs = [(2, "a"), (1, "b")]
first = operator.itemgetter(0)
made = []


class Job:
    def __init__(self, number):
        self.number = number


jobs = [Job(2), Job(1)]


def one():
    made.append(operator.itemgetter(0))
    pairs.sort(key=first)


def two():
    made.append(operator.attrgetter("number"))
    jobs.sort(key=operator.attrgetter("number"))


ts = [threading.Thread(target=f) for f in (one, two)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert pairs == [(1, "b"), (2, "a")]
assert [job.number for job in jobs] == [1, 2]
assert first not in made and made[0] in made and len(set(made)) == 2
assert made[0] is not first and made[1] is made[1]
