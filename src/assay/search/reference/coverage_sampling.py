"""Looking around in a state space that is too large: what coverage is estimated from.

Three ways, all in plain Python and all within a given number of states:

- `two_phases` (Taleghani 2010, ch. 5): breadth first up to a share of the
  states, then depth-first searches from unexplored transitions drawn at
  random; with several `samplers` these take turns (5.3.4);
- `two_overlapping` (Pelánek and Šimeček 2008): two random searches, and how
  much of one is in the other;
- `sweep`: breadth first over everything, remembering only hash bits.

None of them decides anything. `assay.evidence.coverage` turns what they saw
into estimates; a violation met here is counted, not explained.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from assay.evidence.coverage import Overlap, Samples, Sweep
from assay.search.outcome import Model, State
from assay.search.reference.bitstate_depth_first import BitArray

STEPS_PER_TURN = 100


def two_phases(
    model: Model[State], *, exhaustive_states: int, total_states: int, seed: int = 0, samplers: int = 1
) -> Samples:
    """`total_states` is all there is memory for, `exhaustive_states` the share of the first phase."""
    source = random.Random(seed)
    initial, _ = model.initial_state()
    seen = {initial}
    levels = [1]
    level = [initial]
    # Breadth first, until the expansion of a state reaches the limit.
    unexplored: list[State] = level if exhaustive_states <= 1 else []
    while level and not unexplored:
        next_level: list[State] = []
        for index, state in enumerate(level):
            for after in targets(model, state):
                if after not in seen:
                    seen.add(after)
                    next_level.append(after)
            if len(seen) >= exhaustive_states:
                unexplored = level[index + 1 :] + next_level
                break
        if next_level:
            levels.append(len(next_level))
        level = next_level
    exhaustive = len(seen)

    transitions = [
        (state, position) for state in unexplored for position in range(len(targets(model, state)))
    ]
    source.shuffle(transitions)
    tried = 0
    sizes: list[int] = []  # new states of each sample
    running: dict[int, Iterator[None]] = {}
    finished: set[int] = set()

    def explore(number: int, start: State) -> Iterator[None]:
        """Depth first; pauses at every new state. The start is stored already."""
        stack = [iter(shuffled(source, targets(model, start)))]
        while stack:
            for after in stack[-1]:
                if after not in seen:
                    seen.add(after)
                    sizes[number] += 1
                    stack.append(iter(shuffled(source, targets(model, after))))
                    yield
                    break
            else:
                stack.pop()
        finished.add(number)

    while len(seen) < total_states:
        while len(running) < samplers and tried < len(transitions) and len(seen) < total_states:
            state, position = transitions[tried]
            tried += 1
            after = targets(model, state)[position]
            if after in seen:
                continue
            seen.add(after)
            sizes.append(1)
            running[len(sizes) - 1] = explore(len(sizes) - 1, after)
        if not running:
            break
        for number, search in list(running.items()):
            for _ in range(STEPS_PER_TURN if samplers > 1 else 1 << 60):
                if len(seen) >= total_states:
                    break
                if next(search, search) is search:
                    del running[number]
                    break
    left = transitions[tried:]
    productive = {after for state, position in left if (after := targets(model, state)[position]) not in seen}
    return Samples(
        exhaustive=exhaustive,
        visited=len(seen),
        sizes=tuple(sizes),
        unfinished=len(sizes) - len(finished),
        tried=tried,
        left=len(left),
        productive_left=len(productive),
        levels=tuple(levels),
        last_level_complete=not unexplored,
        complete=not productive and not running and tried == len(transitions),
        seed=seed,
        samplers=samplers,
    )


def two_overlapping(model: Model[State], *, states: int, seed: int = 0) -> Overlap:
    """Two random depth-first searches of half as many states each."""
    first = random_search(model, states // 2, random.Random(2 * seed))
    second = random_search(model, states // 2, random.Random(2 * seed + 1))
    return Overlap(len(first), len(second), len(first & second), seed=seed)


def random_search(model: Model[State], states: int, source: random.Random) -> set[State]:
    initial, _ = model.initial_state()
    seen = {initial}
    stack = [iter(shuffled(source, targets(model, initial)))]
    while stack and len(seen) < states:
        for after in stack[-1]:
            if after not in seen:
                seen.add(after)
                stack.append(iter(shuffled(source, targets(model, after))))
                break
        else:
            stack.pop()
    return seen


def sweep(
    model: Model[State],
    *,
    bits: int,
    hash_functions: int,
    seed: int = 0,
    most_expanded: int = 0,
) -> Sweep:
    """Breadth first, remembering `hash_functions` bits of each state among `bits`.

    It stops when `most_expanded` states were expanded, if that is not 0 and something is left.
    """
    table = BitArray(max(1, bits // 8), hash_functions, seed)
    initial, _ = model.initial_state()
    table.add(initial)
    levels: list[int] = []
    level = [initial]
    expanded = transitions = 0
    complete = True
    while level:
        levels.append(len(level))
        next_level: list[State] = []
        for state in level:
            if most_expanded and expanded >= most_expanded:
                complete = False
                break
            expanded += 1
            for after in targets(model, state):
                transitions += 1
                if after not in table:
                    table.add(after)
                    next_level.append(after)
        level = next_level if complete else []
    return Sweep(
        expanded=expanded,
        transitions=transitions,
        bits_set=table.bits_set,
        bits_total=table.bits_total,
        hash_functions=hash_functions,
        levels=tuple(levels),
        complete=complete,
        seed=seed,
    )


def targets(model: Model[State], state: State) -> list[State]:
    return [after for after, _ in model.successors(state) if after is not None]


def shuffled(source: random.Random, states: list[State]) -> list[State]:
    return source.sample(states, len(states))
