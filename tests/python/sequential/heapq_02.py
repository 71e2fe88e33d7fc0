# priorities with tuples
import heapq
from itertools import count

tie = count()
jobs = []
for priority, name in [(2, "b"), (1, "a"), (2, "c"), (0, "z")]:
    heapq.heappush(jobs, (priority, next(tie), name))
while jobs:
    print(heapq.heappop(jobs))
print(jobs)
