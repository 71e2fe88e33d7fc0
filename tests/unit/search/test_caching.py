"""The examples of the thesis's chapter on caching, its definitions of cost, and the command."""

from __future__ import annotations

import json
import random
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay import _engine
from assay.evidence.cache import Cache
from assay.evidence.script import Rows, Script
from assay.evidence.verdict import SearchFacts, StopReason, Verdict, judge
from assay.search import reference
from assay.search.reference.replacement import Candidates, packed, rounded
from assay.transition_system.language_options import OptionProblem
from tests.oracles.thesis.duplicates import without_duplicates

MODELS = Path(__file__).parents[3] / "benchmarks" / "models"
PHILOSOPHERS = MODELS / "philosophers.pml"
PIPELINE_SORT = MODELS / "pipeline_sort.pml"


class Named:
    """A graph of named states, for the plain search."""

    def __init__(self, graph: dict[str, list[str]]) -> None:
        self.graph = graph
        self.visits: list[str] = []

    def initial_state(self):
        return next(iter(self.graph)), 0

    def successors(self, state):
        self.visits.append(state)
        return [(target, 0) for target in self.graph[state]]

    def is_valid_end(self, state):
        return True

    def check_state(self, state):
        return 0

    def check_step(self, before, after):
        return 0


def native_graph(graph: dict[str, list[str]]) -> tuple[_engine.ExplicitGraph, list[str]]:
    names = list(graph)
    return _engine.ExplicitGraph(
        [struct.pack("<Q", number) for number in range(len(names))],
        [[(names.index(target), 0) for target in graph[name]] for name in names],
        [True] * len(names),
        [0] * len(names),
    ), names


def unpacked(word: int) -> int:
    return (word & 2**40 - 1) << (word >> 40)


def costs(graph: dict[str, list[str]], policy: str, size: int = 0) -> list[dict[str, int]]:
    """The costs of what the cache holds at the end: of the plain search and of the engine."""
    size = size or len(graph)
    slow = reference.search(
        Named(graph), strategy="cached", cache_size=size, cache_policy=policy, keep_cache=True
    )
    model, names = native_graph(graph)
    quick = _engine.search(
        model,
        strategy="cached",
        storage="exact",
        threads=1,
        seed=0,
        hash_functions=1,
        bitstate_bytes=0,
        memory_limit_bytes=0,
        time_limit_seconds=0.0,
        depth_limit=0,
        state_limit=0,
        stop_at_first_violation=True,
        check_deadlock=True,
        on_progress=None,
        progress_interval_seconds=1.0,
        cache_size=size,
        cache_policy=policy,
        keep_cache=True,
    )
    assert slow.complete
    assert quick.complete
    return [
        {str(name): unpacked(worth) for name, worth in slow.cache.contents},
        {names[struct.unpack("<Q", state)[0]]: unpacked(worth) for state, worth in quick.cache.contents},
    ]


# --- Figures -------------------------------------------------------------------------------------------

# The text of 4.2.1 tells this much of Figure 4.1: S3 costs 3 (S3, S5, S6); S2 costs 7 and has four
# descendants, S5 and S6 being reached twice. That is two states above S5 and S6. What leads to S2 is ours.
FIGURE_4_1 = {"S1": ["S2"], "S2": ["S3", "S4"], "S3": ["S5", "S6"], "S4": ["S5", "S6"], "S5": [], "S6": []}
# Figure 4.2: S2, S3, S4 and S5 form a strongly connected component.
FIGURE_4_2 = {"S1": ["S2"], "S2": ["S3"], "S3": ["S4"], "S4": ["S5"], "S5": ["S2"]}
FIGURE_4_3 = {
    "S1": ["S2", "S7"],
    "S2": ["S3"],
    "S3": ["S4", "S6"],
    "S4": ["S5"],
    "S5": [],
    "S6": [],
    "S7": ["S3"],
}


@pytest.mark.parametrize("policy", ["cost", "cost-exact"])
def test_figure_4_1_has_the_printed_costs(policy):
    for found in costs(FIGURE_4_1, policy):
        assert found == {"S1": 8, "S2": 7, "S3": 3, "S4": 3, "S5": 1, "S6": 1}


def test_figure_4_2a_counts_too_little_on_the_cycle():
    # S2 costs 1 when S5 meets it. Footnote 1: of S2 itself the value minus one is right.
    for found in costs(FIGURE_4_2, "cost"):
        assert found == {"S5": 2, "S4": 3, "S3": 4, "S2": 5, "S1": 6}


def test_figure_4_2b_gives_all_states_of_the_component_their_number():
    for found in costs(FIGURE_4_2, "cost-exact"):
        assert found == {"S1": 5, "S2": 4, "S3": 4, "S4": 4, "S5": 4}


def test_figure_4_3_is_explored_again_from_s7_and_the_script_can_be_cleaned():
    # Five states fit, and even depths go first: S5 makes place for S6, S3 for S7; then chance takes S2.
    model = Named(FIGURE_4_3)
    found = reference.search(
        model, strategy="cached", cache_size=5, cache_policy="stratified", cache_strata=2, seed=0
    )
    assert (found.complete, found.states, found.transitions, found.cache.replaced) == (True, 8, 9, 3)
    rows = rows_of(FIGURE_4_3, model.visits)
    assert rows == Rows.parse("""
        Trans instr:	-	t1	t1	t1	t1	B	B	t2	B	B	B	t2	t1	t1	B	t2	B	B	B
        State ID:	S1	S2	S3	S4	S5	S4	S3	S6	S3	S2	S1	S7	S3	S4	S3	S6	S3	S7	S1
    """)
    assert without_duplicates(rows) == Rows.parse("""
        Trans instr:	-	t1	t1	t1	t1	B	B	t2	B	B	B	t2	t1	B	B
        State ID:	S1	S2	S3	S4	S5	S4	S3	S6	S3	S2	S1	S7	S3	S7	S1
    """)


def test_rungs_forgets_first_what_leads_to_one_state_and_keeps_s3():
    # S5 and S4, from which at most one step leads on, make place for S6 and S7: nothing is explored again.
    model = Named(FIGURE_4_3)
    found = reference.search(model, strategy="cached", cache_size=5, cache_policy="rungs", keep_cache=True)
    assert (found.complete, found.states, found.transitions, found.cache.replaced) == (True, 7, 7, 2)
    assert {name for name, _ in found.cache.contents} == {"S1", "S2", "S3", "S6", "S7"}


def rows_of(graph: dict[str, list[str]], visits: list[str]) -> Rows:
    """The script of a search, from the states it visited; names in the order of first visits."""
    names: dict[str, str] = {}
    for state in visits:
        names.setdefault(state, f"S{len(names) + 1}")
    columns = [("-", names[visits[0]])]
    upcoming = iter([*visits[1:], ""])
    following = next(upcoming)
    stack = [(visits[0], iter(enumerate(graph[visits[0]])))]
    while stack:
        state, remaining = stack[-1]
        for position, successor in remaining:
            columns.append((f"t{position + 1}", names[successor]))
            if successor == following:
                stack.append((successor, iter(enumerate(graph[successor]))))
                following = next(upcoming)
                break
            columns.append(("B", names[state]))
        else:
            stack.pop()
            if stack:
                columns.append(("B", names[stack[-1][0]]))
    assert following == ""
    return Rows(tuple(above for above, _ in columns), tuple(below for _, below in columns))


@pytest.mark.parametrize("policy", ["rungs", "cost", "random", "age", "stratified"])
def test_without_duplicates_the_script_of_a_cached_search_is_that_of_an_ordinary_one(policy):
    again = 0
    for seed in range(150):
        graph = random_named_graph(seed, acyclic=seed % 2 == 0)
        model = Named(graph)
        size = max(1, len(graph) * 2 // 3)
        found = reference.search(
            model, strategy="cached", cache_size=size, cache_policy=policy, seed=seed, state_limit=2000
        )
        if not found.complete:
            continue
        again += found.cache.replaced > 0
        script = Script.from_rows(without_duplicates(rows_of(graph, model.visits)))
        assert script == Script.depth_first("S1", graph.__getitem__)
    assert again > 15


# --- Definitions ---------------------------------------------------------------------------------------


def random_named_graph(seed: int, *, acyclic: bool) -> dict[str, list[str]]:
    chance = random.Random(seed)
    nodes = chance.choice([5, 12, 30])
    graph: dict[str, list[str]] = {}
    for node in range(nodes):
        low = node + 1 if acyclic else max(0, node - chance.choice([0, 0, 0, 6]))
        targets = [chance.randrange(low, nodes) for _ in range(chance.choice([0, 1, 2, 2, 3])) if low < nodes]
        graph[f"S{node + 1}"] = [f"S{target + 1}" for target in targets]
    reachable = ["S1"]
    for name in reachable:
        reachable += [target for target in dict.fromkeys(graph[name]) if target not in reachable]
    return {name: graph[name] for name in reachable}


def defined_costs(graph: dict[str, list[str]]) -> dict[str, int]:
    """Definition 4.2.3, of which 4.2.1 is the case without cycles; once for every transition."""
    reach: dict[str, set[str]] = {}
    for name in graph:
        found, pending = set(), [name]
        while pending:
            for target in graph[pending.pop()]:
                if target not in found:
                    found.add(target)
                    pending.append(target)
        reach[name] = found
    known: dict[str, int] = {}

    def cost(name: str) -> int:
        component = {name} | {other for other in reach[name] if name in reach[other]}
        if name not in known:
            below = sum(
                cost(target) for member in component for target in graph[member] if target not in component
            )
            known.update(dict.fromkeys(component, len(component) + below))
        return known[name]

    return {name: cost(name) for name in graph}


def test_costs_without_cycles_are_those_of_definition_4_2_1_also_after_replacements():
    replaced = 0
    for seed in range(300):
        graph = random_named_graph(seed, acyclic=True)
        expected = defined_costs(graph)
        for found in costs(graph, "cost"):
            assert found == expected, seed
        size = max(len(graph) * 3 // 4, longest_path(graph))
        for found in costs(graph, "cost", size):
            replaced += len(graph) - len(found)
            assert found.items() <= expected.items(), seed
    assert replaced > 100


def test_costs_of_components_are_those_of_definition_4_2_3_also_after_replacements():
    replaced = components = 0
    for seed in range(300):
        graph = random_named_graph(seed, acyclic=False)
        expected = defined_costs(graph)
        for found in costs(graph, "cost-exact"):
            assert found == expected, seed
        components += expected != costs(graph, "cost")[0]
        model = Named(graph)
        size = max(1, len(graph) * 3 // 4)
        small = reference.search(
            model, strategy="cached", cache_size=size, cache_policy="cost-exact", keep_cache=True
        )
        if small.complete:
            replaced += small.cache.replaced
            held = {str(name): unpacked(worth) for name, worth in small.cache.contents}
            assert held.items() <= expected.items(), seed
    assert components > 100
    assert replaced > 100


def longest_path(graph: dict[str, list[str]]) -> int:
    lengths: dict[str, int] = {}
    for name in sorted(graph, key=lambda name: -int(name[1:])):
        lengths[name] = 1 + max((lengths[target] for target in graph[name]), default=0)
    return max(lengths.values())


def test_costs_beyond_all_words_keep_their_order():
    # Each of these states has two ways to the next: the cost doubles a thousand times.
    doubling = {f"S{n}": [f"S{n + 1}"] * 2 if n < 1000 else [] for n in range(1, 1001)}
    for found in costs(doubling, "cost"):
        assert found["S1000"] == 1
        assert found["S970"] == 2**31 - 1
        for n in range(1, 1000):
            exact = 2 ** (1001 - n) - 1
            assert exact * (1 - 2.0**-28) <= found[f"S{n}"] <= exact
            assert found[f"S{n}"] > found[f"S{n + 1}"]


def test_a_cost_is_exact_up_to_forty_bits_and_packs_in_order():
    values = [1, 2, 2**39, 2**40 - 1, 2**40, 2**40 + 2, 2**41, 3**50, 3**51, 2**600]
    assert [packed(rounded(value)) for value in values] == sorted(packed(rounded(value)) for value in values)
    assert [unpacked(packed(value)) for value in values[:7]] == values[:7]
    assert rounded(2**40 + 1) == 2**40


def test_of_equal_ranks_each_has_the_same_chance_however_long_it_waited():
    # Two old ones and one new one, ten thousand times: the new one is taken a third of the time.
    taken_new = 0
    candidates = Candidates(5)
    candidates.put(0, 7)
    candidates.put(1, 7)
    for new in range(2, 10_002):
        candidates.put(new, 7)
        taken_new += candidates.take_first() == [new]
    assert 3333 - 200 < taken_new < 3333 + 200


# --- The command and the verdict -----------------------------------------------------------------------


def command(*arguments: object):
    return subprocess.run(
        [sys.executable, "-c", "from assay.cli.main import main; main()", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def verified(*arguments: object) -> dict[str, object]:
    completed = command("verify", PHILOSOPHERS, "-D", "N=5", "--no-reductions", "--json", *arguments)
    answer = json.loads(completed.stdout)
    assert (completed.returncode, answer["verdict"], answer["complete"]) == (0, "verified", True)
    return answer


def test_a_cache_leaves_memory_to_the_tables_of_parts():
    least = int(verified()["peak_memory_bytes"])
    options = (
        "-D",
        "N=5",
        "--no-reductions",
        "--cache-size",
        278_000,
        "--memory",
        least + (8 << 20),
        "--json",
    )
    answer = json.loads(command("verify", PIPELINE_SORT, *options).stdout)
    assert (answer["verdict"], answer["stop_reason"]) == ("verified", "")
    assert answer["cache"]["capacity"] < 278_000


def test_a_search_that_forgot_says_so_and_verifies():
    answer = verified("--search", "cached", "--cache-size", "75%", "--states-of-graph", 4352)
    cache = answer["cache"]
    assert cache["capacity"] == 3264
    assert cache["replaced"] > 0
    assert cache["states_at_least"] == 3264
    assert cache["states_at_most"] == answer["states"] > 4352
    assert cache["visits_per_state"] == answer["states"] / 4352
    assert "perhaps some of them again" in answer["notes"][0]


def test_a_search_that_did_not_forget_counts_states():
    answer = verified("--cache-size", 4352)
    assert answer["states"] == 4352
    assert answer["notes"] == []
    assert answer["cache"]["replaced"] == 0
    assert answer["cache"]["visits_per_state"] == 1.0
    assert answer["cache"]["states_at_least"] == answer["cache"]["states_at_most"] == 4352


def test_other_searches_have_no_cache():
    assert verified()["cache"] is None


def test_a_cache_smaller_than_the_path_is_told():
    completed = command("verify", PHILOSOPHERS, "-D", "N=5", "--no-reductions", "--cache-size", 50)
    assert completed.returncode == 3
    assert "the path that the search follows fills the cache, which must be larger" in completed.stdout


def test_the_headline_does_not_count_states_that_it_does_not_know():
    completed = command("verify", PHILOSOPHERS, "-D", "N=5", "--no-reductions", "--cache-size", 3000)
    assert completed.returncode == 0
    assert "every reachable state visited (" in completed.stdout
    assert "all " not in completed.stdout.splitlines()[0]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--search", "cached"), "a cached search needs --cache-size"),
        (("--cache-size", "25%"), "25% of what? give --states-of-graph N or --memory"),
        (("--policy", "cost"), "--policy is for --search cached"),
        (("--search", "dfs", "--cache-size", "9"), "--cache-size is for --search cached"),
        (("--cache-size", "9", "--strata", "3"), "--strata is for --policy stratified"),
        (("--cache-size", "0"), "expected a number from 1 to 2,147,483,648, got '0'"),
        (("--cache-size", "0%"), "expected a percentage such as 25%, got '0%'"),
        (("--cache-size", "101%"), "expected a percentage such as 25%, got '101%'"),
        (("--cache-size", "9", "--threads", "2"), "one thread"),
        (("--cache-size", "9", "--storage", "bitstate"), "exact storage"),
    ],
)
def test_options_that_do_not_go_together_are_refused(arguments, sentence):
    completed = command("verify", PHILOSOPHERS, *arguments)
    assert completed.returncode == 2
    assert sentence in completed.stderr


def test_a_share_of_memory_is_a_number_of_states():
    answer = verified("--cache-size", "50%", "--memory", "1GiB")
    assert answer["options"]["cache_size"] == (1 << 30) // 200


def test_violations_are_found_and_can_be_replayed(tmp_path):
    model = tmp_path / "counter.pml"
    model.write_text(
        "byte n, m;\n"
        "active proctype P() { do :: n < 9 -> n++ :: n > 0 -> n-- :: m < 5 -> m++ :: m > 0 -> m-- od }\n"
    )
    trace = tmp_path / "trace.json"
    result = assay.verify(model, search="cached", cache_size=200, invariants=["n + m < 14"], trace=trace)
    assert result.verdict is Verdict.VIOLATED
    assert assay.replay(model, trace).length == result.violations[0].counterexample.length


def test_python_classes_are_searched_with_a_cache_too():
    program = Path(__file__).parents[3] / "examples" / "token_ring.py"
    whole = assay.verify(f"{program}:TokenRing")
    cached = assay.verify(f"{program}:TokenRing", search="cached", cache_size=whole.states)
    assert (cached.verdict, cached.states) == (whole.verdict, whole.states)
    with pytest.raises(OptionProblem, match="cache size"):
        assay.verify(f"{program}:TokenRing", search="cached")


def test_a_cache_alone_speaks_neither_for_nor_against_a_verdict():
    cache = Cache(policy="rungs", capacity=5, held=5, replaced=100, hits=3)
    done = SearchFacts(states=105, complete=True, stop_reason=StopReason.FINISHED, cache=cache)
    assert judge(done).verdict is Verdict.VERIFIED
    full = SearchFacts(states=105, complete=False, stop_reason=StopReason.CACHE, frontier=5, cache=cache)
    assert judge(full).verdict is Verdict.INCOMPLETE
    assert cache.visits_per_state(105) is None


@pytest.mark.parametrize(("states", "each"), [(21, 5.0), (105, 1.0), (4, None), (106, None)])
def test_a_number_of_states_that_cannot_be_right_is_not_believed(states, each):
    cache = Cache(policy="rungs", capacity=5, held=5, replaced=100, hits=3, states_of_graph=states)
    assert cache.visits_per_state(105) == each
    assert cache.distinct(105) == (5, 105)
    known = Cache(
        policy="rungs",
        capacity=5,
        held=5,
        replaced=9,
        hits=3,
        states_of_graph=states,
        transitions_of_graph=40,
    )
    assert known.distinct(105) == (states, states)
    assert known.redundant_work(100) == 2.5
