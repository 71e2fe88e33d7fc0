"""States all of whose words take more values than a small group has room for."""

from __future__ import annotations

import random

import pytest

from assay import _engine


@pytest.mark.parametrize("words", [3, 8, 33])
def test_words_that_all_need_many_bits_still_end_in_one_key(words):
    # Each word alone needs 17 bits, so a group of 16 bits could hold none of them; the levels
    # of groups must come to an end all the same.
    count = 70_000
    values = random.Random(words)
    states = [
        b"".join(values.getrandbits(64).to_bytes(8, "little") for _ in range(words)) for _ in range(count)
    ]
    edges = [[(i + 1, 0), (i // 2, 0)] for i in range(count - 1)] + [[]]
    graph = _engine.ExplicitGraph(states, edges, [True] * count, [0] * count)
    result = _engine.search(
        graph,
        strategy="bfs",
        storage="exact",
        threads=1,
        seed=0,
        hash_functions=0,
        bitstate_bytes=0,
        memory_limit_bytes=1 << 30,
        time_limit_seconds=120,
        depth_limit=0,
        state_limit=0,
        stop_at_first_violation=True,
        check_deadlock=True,
        on_progress=None,
        progress_interval_seconds=1.0,
    )
    assert result.complete
    assert (result.states, result.transitions, result.depth) == (count, 2 * (count - 1), count - 1)
