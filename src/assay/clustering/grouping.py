"""Which worker has which partitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

PARTITIONS_PER_WORKER = 4
FEWEST_PARTITIONS = 8
MOST_PARTITIONS = 4096


def partitions_for(workers: int) -> int:
    """Several for each, so that they can move; fixed for the whole search."""
    return max(FEWEST_PARTITIONS, min(MOST_PARTITIONS, PARTITIONS_PER_WORKER * workers))


def shared_out(partitions: int, workers: Sequence[str], homes: Mapping[int, str]) -> dict[str, list[int]]:
    """Equally many partitions for each worker; as many as can be stay where they were."""
    most, one_more = divmod(partitions, len(workers))
    groups: dict[str, list[int]] = {worker: [] for worker in workers}
    homeless = []
    for partition in range(partitions):
        home = homes.get(partition)
        # Those that were full of moving ones are told by their room, the first ones having one more.
        if home in groups and len(groups[home]) < most + (1 if one_more else 0):
            groups[home].append(partition)
        else:
            homeless.append(partition)
    full = sum(1 for mine in groups.values() if len(mine) > most)
    for worker in sorted(groups, key=lambda one: len(groups[one]), reverse=True):
        while len(groups[worker]) > most and full > one_more:
            homeless.append(groups[worker].pop())
            full -= 1
    for partition in homeless:
        least = min(groups, key=lambda one: (len(groups[one]), one))
        groups[least].append(partition)
    return {worker: sorted(mine) for worker, mine in groups.items() if mine}


def slices_for(most_states: int, bytes_per_state: float, budget: int) -> int:
    """Into how many a level is cut, so that the candidates of a worker that has so many states of it fit the
    memory set aside for them, if the level is like the one before."""
    return max(1, min(most_states, int(most_states * 1.5 * bytes_per_state / budget) + 1))
