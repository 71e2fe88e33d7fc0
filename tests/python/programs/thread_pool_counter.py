# verdict: bytecode=violated:assertion
from multiprocessing.pool import ThreadPool

counts = {"served": 0}


def serve(number):
    counts["served"] = counts["served"] + number


with ThreadPool(2) as pool:
    pool.map(serve, [1, 1])
assert counts["served"] == 2
