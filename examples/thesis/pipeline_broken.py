"""Pipeline, broken: the links are stacks.

When two items are in a link, the later one is taken first: an assertion of the next stage fails.
"""

import queue
import threading

import assay

STAGES = 2  # in the thesis: 7
ITEMS = 2
CAPACITY = 2  # of each queue
STOP = None

links = [queue.LifoQueue(CAPACITY) for _ in range(STAGES)]
final = queue.Queue()  # so that the driver may put everything in before it looks at results
taken = [0] * STAGES  # by each stage
results = []


def run_stage(position):
    source = links[position]
    target = links[position + 1] if position + 1 < STAGES else final
    while (item := source.get()) is not STOP:
        assert item == position + taken[position], "the order was lost"
        taken[position] += 1
        target.put(item + 1)
    assert taken[position] == ITEMS, "the stop mark overtook an item"
    target.put(STOP)


def main():
    assay.invariant(
        lambda: all(taken[n] >= taken[n + 1] for n in range(STAGES - 1)),
        name="a stage takes what the stage before it has taken",
    )
    assay.invariant(
        lambda: all(taken[n] - taken[n + 1] <= CAPACITY + 2 for n in range(STAGES - 1)),
        name="between stages is a full queue at most, and what two hands hold",
    )
    assay.invariant(
        lambda: results == list(range(STAGES, STAGES + len(results))), name="results come in order"
    )
    stages = [threading.Thread(target=run_stage, args=(position,)) for position in range(STAGES)]
    for stage in stages:
        stage.start()
    for item in range(ITEMS):
        links[0].put(item)
    links[0].put(STOP)
    while (result := final.get()) is not STOP:
        results.append(result)
    for stage in stages:
        stage.join()
    assert len(results) == ITEMS, "a result was lost"


if __name__ == "__main__":
    main()
