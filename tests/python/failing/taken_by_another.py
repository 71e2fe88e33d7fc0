import threading
from collections import Counter, namedtuple

Job = namedtuple("Job", "number name")


class Jobs(list):
    pass


jobs = Jobs([Job(1, "clean")])
done = Counter()


def work():
    job = jobs.pop()
    done[job.name] += 1
    done.update(["work"])


workers = [threading.Thread(target=work, name=name) for name in ("ann", "bob")]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
