"""What the thesis claims of its algorithms, on random graphs and against forgers."""

import pickle
import random
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay.evidence.script import TREE, MalformedScript, Rows, Script
from tests.oracles.thesis.certification import (
    Discrepancy,
    Model,
    VeracityError,
    certify,
    cut_sequence,
)
from tests.oracles.thesis.duplicates import without_duplicates
from tests.oracles.thesis.forgetting import (
    MarkProblem,
    certify_with_counts,
    certify_with_marks,
    last_occurrences,
    reference_counts,
)
from tests.oracles.thesis.parallel import certify_in_parallel
from tests.oracles.thesis.partition import PartitionProblem, even_intervals, partition, subgraphs
from tests.oracles.thesis.trustful import perfect_search

# a -> b, c; b -> c, d; c -> d, a; d -> nothing
DIAMONDS = {"a": ["b", "c"], "b": ["c", "d"], "c": ["d", "a"], "d": []}


def model_of(graph, initial="a"):
    return Model(initial, graph.__getitem__)


@st.composite
def graphs(draw):
    """Successors of the states 0 to n-1; not all need be reachable from 0."""
    size = draw(st.integers(1, 12))
    state = st.integers(0, size - 1)
    return draw(st.lists(st.lists(state, max_size=4), min_size=size, max_size=size))


TREES = st.sampled_from([Script.depth_first, Script.breadth_first])


def reachable(graph):
    found = {0}
    pending = [0]
    while pending:
        new = set(graph[pending.pop()]) - found
        found |= new
        pending.extend(new)
    return found


def forgeries(script):
    """Every script that differs in one entry, where that is a script at all; also one entry more or less."""
    for number, entries in enumerate(script.entries):
        changed = [
            (*entries[:position], other, *entries[position + 1 :])
            for position, entry in enumerate(entries)
            for other in range(-1, script.states)
            if other != entry
        ]
        changed += [(*entries, 0), *([entries[:-1]] if entries else [])]
        for own in changed:
            try:
                yield Script((*script.entries[:number], own, *script.entries[number + 1 :]))
            except MalformedScript:
                continue


# The script itself


def test_a_successor_reached_first_through_its_sibling_is_a_reference_depth_first():
    script = Script.depth_first("a", DIAMONDS.__getitem__)
    assert script.entries == ((TREE, 2), (TREE, 3), (TREE, 0), ())


def test_breadth_first_scripts_refer_forward():
    script = Script.breadth_first("a", DIAMONDS.__getitem__)
    assert script.entries == ((TREE, TREE), (3, TREE), (), (2, 0))


@pytest.mark.parametrize(
    ("entries", "problem"),
    [
        ((), "1 states more are announced than the script describes"),
        (((TREE,),), "1 states more are announced than the script describes"),
        (((), ()), "no entry leads to state 1"),
        (((TREE,), (), (TREE,)), "no entry leads to state 2"),
        (((1,),), "entry 0 of state 0 refers to state 1 of 1"),
        (((-2,),), "entry 0 of state 0 refers to state -2 of 1"),
    ],
)
def test_what_is_no_tree_is_no_script(entries, problem):
    with pytest.raises(MalformedScript, match=problem):
        Script(entries)


@pytest.mark.parametrize(
    ("instructions", "states", "problem"),
    [
        ("t1", "S2", "a script begins with '-' and S1"),
        ("- t1 B", "S1 S2 S2", "column 3: the backtrack does not lead to S2"),
        ("- B", "S1 S1", "column 2: the backtrack does not lead to S1"),
        ("- t2", "S1 S2", "column 2: t2 stands where S1 has t1"),
        ("- t1", "S1 S3", "column 2: S3 comes before S2"),
        ("- t1", "S1 S0", "'S0' is not the name of a state; S1 is the first"),
        ("- t1", "S1", "the rows differ in length: 2 instructions and 1 states"),
    ],
)
def test_rows_that_are_no_search_are_refused(instructions, states, problem):
    with pytest.raises(MalformedScript, match=problem):
        Script.from_rows(Rows.parse(f"Trans instr: {instructions}\nState ID: {states}"))


@settings(deadline=None)
@given(graphs(), TREES)
def test_a_script_has_one_entry_for_each_transition_and_a_tree_over_all_states(graph, build):
    script = build(0, graph.__getitem__)
    states = reachable(graph)
    assert script.states == len(states)
    assert script.transitions == sum(len(graph[state]) for state in states)
    tree = script.tree()
    assert all(tree.parents[number] < number < tree.ends[number] for number in range(1, script.states))


@settings(deadline=None)
@given(graphs())
def test_the_two_rows_of_a_depth_first_script_read_back(graph):
    script = Script.depth_first(0, graph.__getitem__)
    assert Script.from_rows(script.rows()) == script
    assert len(script.rows().states) == 1 + 2 * script.transitions  # 3.1.5: at most 2T instructions


@settings(deadline=None)
@given(graphs())
def test_breadth_first_paths_are_shortest(graph):
    script = Script.breadth_first(0, graph.__getitem__)
    visited = certify(script, model_of(graph, 0))
    distances = {0: 0}
    order = [0]
    for state in order:
        for successor in graph[state]:
            if successor not in distances:
                distances[successor] = distances[state] + 1
                order.append(successor)
    tree = script.tree()
    assert {visited[number]: len(tree.path(number)) for number in visited} == distances


# Algorithm 3.1


@settings(deadline=None)
@given(graphs(), TREES)
def test_honest_scripts_certify_and_visit_every_reachable_state(graph, build):
    visited = certify(build(0, graph.__getitem__), model_of(graph, 0))
    assert sorted(visited.values()) == sorted(reachable(graph))


@settings(deadline=None)
@given(graphs(), TREES)
def test_every_forged_entry_is_caught_or_visits_the_same_states(graph, build):
    for forged in forgeries(build(0, graph.__getitem__)):
        try:
            visited = certify(forged, model_of(graph, 0))
        except VeracityError:
            continue
        assert set(visited.values()) == reachable(graph)


@settings(deadline=None)
@given(graphs(), TREES, graphs())
def test_the_script_of_another_program_is_caught_or_visits_the_same_states(graph, build, other):
    script = build(0, other.__getitem__)
    try:
        visited = certify(script, model_of(graph, 0))
    except VeracityError:
        return
    assert set(visited.values()) == reachable(graph)


def test_a_nonexistent_transition_is_named():
    script = Script(((TREE, 2), (TREE, 3, 0), (TREE, 0), ()))
    with pytest.raises(
        VeracityError, match="state 1 has no transition t3, which the script claims"
    ) as caught:
        certify(script, model_of(DIAMONDS))
    error = caught.value
    assert (error.discrepancy, error.state, error.position) == (Discrepancy.NONEXISTENT_TRANSITION, 1, 2)


def test_an_omitted_transition_is_named():
    script = Script(((TREE, 2), (TREE,), (TREE, 0), ()))
    with pytest.raises(VeracityError, match="the script leaves out transition t2 of state 1") as caught:
        certify(script, model_of(DIAMONDS))
    error = caught.value
    assert (error.discrepancy, error.state, error.position) == (Discrepancy.OMITTED_TRANSITION, 1, 1)


def test_a_wrong_destination_is_named_with_the_state_that_it_is():
    script = Script(((TREE, 1), (TREE, 3), (TREE, 0), ()))
    with pytest.raises(VeracityError) as caught:
        certify(script, model_of(DIAMONDS))
    error = pickle.loads(pickle.dumps(caught.value))  # errors travel between processes
    assert error.discrepancy is Discrepancy.WRONG_DESTINATION
    assert (error.state, error.position, error.claimed, error.actual) == (0, 1, 1, 2)
    assert (
        str(error) == "the script claims that transition t2 of state 0 leads to state 1; it leads to state 2"
    )


def test_a_hidden_branch_is_told_as_a_state_without_a_number():
    # c is said to be a, and so d would be reached through b alone and c never be looked at.
    script = Script(((TREE, 0), (0, TREE), ()))
    with pytest.raises(VeracityError, match="leads to state 0; it leads to another state") as caught:
        certify(script, model_of(DIAMONDS))
    assert (caught.value.state, caught.value.position, caught.value.actual) == (1, 0, None)


def test_a_wrong_forward_reference_is_blamed_and_not_the_visit_that_shows_it():
    # Breadth first b refers forward to c, number 3; here it says 2, which d gets.
    script = Script(((TREE, TREE), (2, TREE), (), (2, 0)))
    with pytest.raises(VeracityError) as caught:
        certify(script, model_of(DIAMONDS))
    error = caught.value
    assert (error.state, error.position, error.claimed, error.actual) == (1, 0, 2, None)


def test_a_state_under_two_numbers_is_work_and_no_error():
    script = Script(((TREE, TREE), (3, TREE), (), (TREE, 0), ()))
    visited = certify(script, model_of(DIAMONDS))
    assert [visited[number] for number in range(5)] == ["a", "b", "d", "c", "d"]


def test_properties_of_states_and_steps_are_checked_everywhere():
    states, steps = [], []
    model = Model(
        "a", DIAMONDS.__getitem__, states.append, lambda before, after: steps.append(before + after)
    )
    script = Script.depth_first("a", DIAMONDS.__getitem__)
    certify(script, model)
    assert (states, steps) == (["a", "b", "c", "d"], ["ab", "bc", "cd", "ca", "bd", "ac"])
    states.clear()
    steps.clear()
    certify_in_parallel(script, model, partition(script, subgraphs(script), 3))
    assert (sorted(states), sorted(steps)) == (["a", "b", "c", "d"], ["ab", "ac", "bc", "bd", "ca", "cd"])
    steps.clear()
    assert list(perfect_search(script.trustful_rows(), model)) == ["a", "b", "c", "d"]
    assert steps == []


@settings(deadline=None)
@given(graphs(), TREES)
def test_entries_in_one_sequence_are_cut_by_the_program(graph, build):
    script = build(0, graph.__getitem__)
    sequence = [entry for entries in script.entries for entry in entries]
    model = model_of(graph, 0)
    assert cut_sequence(sequence, model) == script
    with pytest.raises(VeracityError) as caught:
        cut_sequence([*sequence, 0], model)
    assert caught.value.discrepancy is Discrepancy.NONEXISTENT_TRANSITION
    if sequence:
        with pytest.raises((VeracityError, MalformedScript)) as caught:
            cut_sequence(sequence[:-1], model)


def test_a_sequence_used_up_early_omits_a_transition_where_it_ends():
    with pytest.raises(VeracityError, match="the script leaves out transition t2 of state 2"):
        cut_sequence([TREE, 2, TREE, 3, TREE], model_of(DIAMONDS))


# 3.1.3


@settings(deadline=None)
@given(graphs(), TREES)
def test_a_perfect_search_visits_each_state_once(graph, build):
    instructions = build(0, graph.__getitem__).trustful_rows()
    visited = list(perfect_search(instructions, model_of(graph, 0)))
    assert sorted(visited) == sorted(reachable(graph))
    assert len(instructions) < 2 * len(visited)  # 3.1.5: at most 2S instructions


def test_a_perfect_search_that_does_not_fit_the_program_is_an_error():
    with pytest.raises(VeracityError, match="state 1 has no transition t3, which the script claims"):
        list(perfect_search(["t1", "t3"], model_of(DIAMONDS)))
    with pytest.raises(MalformedScript, match="backtracks from the initial state"):
        list(perfect_search(["t1", "B", "B"], model_of(DIAMONDS)))


# Algorithm 3.2


@settings(deadline=None)
@given(graphs(), TREES, st.integers(1, 6), st.booleans())
def test_regions_cover_every_state_once_and_no_transition_twice(graph, build, count, trustful):
    script = build(0, graph.__getitem__)
    regions = partition(script, subgraphs(script, trustful=trustful), count, trustful=trustful)
    assert sorted(number for region in regions for number in region.states()) == list(range(script.states))
    assert len(regions) == count or list(regions[-1].states()) == [0]
    total = script.states - len(regions) if trustful else script.transitions
    assert sum(region.transitions for region in regions) == total
    for region in regions:
        own = region.trustful_rows(script) if trustful else region.rows(script).instructions
        assert sum(label != "B" for label in own) == region.transitions


@settings(deadline=None)
@given(graphs(), TREES, st.integers(1, 6))
def test_the_greedy_choice_is_the_printed_one(graph, build, count):
    """Line 6, by searching the whole list in every iteration."""
    script = build(0, graph.__getitem__)
    sizes = dict(enumerate(subgraphs(script)))
    left = script.transitions
    for index, region in enumerate(partition(script, subgraphs(script), count)[:-1]):
        share = Fraction(left, count - index)
        distances = {number: abs(size - share) for number, size in sizes.items() if number != 0}
        assert region.root == min(distances, key=lambda number: (distances[number], number))
        for number in region.states():
            del sizes[number]
        for number in region.ancestors:
            sizes[number] -= region.transitions
        left -= region.transitions


@settings(deadline=None)
@given(graphs(), TREES, st.integers(1, 6))
def test_parallel_certification_answers_what_the_sequential_one_does(graph, build, count):
    script = build(0, graph.__getitem__)
    regions = partition(script, subgraphs(script), count)
    model = model_of(graph, 0)
    assert certify_in_parallel(script, model, regions) == certify(script, model)


@settings(deadline=None, max_examples=50)
@given(graphs(), TREES, st.integers(2, 4))
def test_parallel_certification_refuses_exactly_what_the_sequential_one_refuses(graph, build, count):
    model = model_of(graph, 0)
    for forged in forgeries(build(0, graph.__getitem__)):
        regions = partition(forged, subgraphs(forged), count)
        try:
            visited = certify(forged, model)
        except VeracityError:
            with pytest.raises(VeracityError):
                certify_in_parallel(forged, model, regions)
        else:
            assert certify_in_parallel(forged, model, regions) == visited


@settings(deadline=None)
@given(graphs(), st.integers(2, 5))
def test_the_trustful_tasks_together_visit_each_state_once(graph, count):
    script = Script.depth_first(0, graph.__getitem__)
    visited = []
    for region in partition(script, subgraphs(script, trustful=True), count, trustful=True):
        start = 0
        for position in region.path:
            start = graph[start][position]
        visited += perfect_search(region.trustful_rows(script), model_of(graph, start))
    assert sorted(visited) == sorted(reachable(graph))


def test_regions_that_leave_states_out_or_overlap_are_refused():
    script = Script.depth_first("a", DIAMONDS.__getitem__)
    model = model_of(DIAMONDS)
    first, last = partition(script, subgraphs(script), 2)
    with pytest.raises(ValueError, match="the regions visit 1 of 4 states"):
        certify_in_parallel(script, model, [last])
    with pytest.raises(ValueError, match="two regions visit the same number"):
        certify_in_parallel(script, model, [first, last, first])


def test_a_wrong_claim_between_regions_shows_when_the_maps_are_compared():
    # Two branches; the second says that its transition leads to x, in the first branch.
    graph = {"a": ["b", "c"], "b": ["x"], "x": [], "c": ["y"], "y": []}
    forged = Script(((TREE, TREE), (TREE,), (), (2,)))
    regions = partition(forged, subgraphs(forged), 2)
    assert [list(region.states()) for region in regions] == [[1, 2], [0, 3]]
    with pytest.raises(VeracityError) as caught:
        certify_in_parallel(forged, model_of(graph), regions)
    error = caught.value
    assert error.discrepancy is Discrepancy.WRONG_DESTINATION
    assert (error.state, error.position, error.claimed, error.actual) == (3, 0, 2, None)


# Theorem 3.2.4: a list that is not accurate

CHAIN = Script(((TREE,), (TREE, 0), (TREE, 0), ()))  # sizes 5, 4, 2, 0


@pytest.mark.parametrize(
    ("listed", "problem"),
    [
        (
            {0: 5, 1: 4, 2: 3, 3: 0},
            "lists 3 transitions for the region of state 2, which has 2 in the script",
        ),
        ({0: 5, 1: 4, 2: 2}, "does not list state 3 of the region of state 2"),
        ({0: 5, 2: 2, 3: 0}, "does not list state 1, an ancestor of state 2"),
        ({1: 4, 2: 2, 3: 0}, "does not list state 0, an ancestor of state 2"),
        ({0: 5, 1: 4, 2: 1, 3: 0, 4: 3}, "lists state 4, which the script does not have"),
        ({0: 5, 1: 4, 2: 1, 3: 0, -1: 3}, "lists state -1, which the script does not have"),
    ],
)
def test_a_list_that_does_not_fit_where_the_partition_needs_it_is_refused(listed, problem):
    with pytest.raises(PartitionProblem, match=problem):
        partition(CHAIN, listed, 2)


@pytest.mark.parametrize("listed", [{0: 99, 1: 4, 2: 2, 3: 0}, {0: 5, 1: 4, 2: 2, 3: 0, 4: 77}])
def test_a_list_that_is_wrong_elsewhere_changes_nothing(listed):
    assert partition(CHAIN, listed, 2) == partition(CHAIN, subgraphs(CHAIN), 2)


@settings(deadline=None)
@given(graphs(), TREES, st.integers(1, 6), st.dictionaries(st.integers(-1, 13), st.integers(-3, 30)))
def test_whatever_the_list_says_a_partition_fails_or_is_one(graph, build, count, wrong):
    script = build(0, graph.__getitem__)
    try:
        regions = partition(script, dict(enumerate(subgraphs(script))) | wrong, count)
    except PartitionProblem:
        return
    assert sorted(number for region in regions for number in region.states()) == list(range(script.states))
    model = model_of(graph, 0)
    assert certify_in_parallel(script, model, regions) == certify(script, model)


# Our intervals


@settings(deadline=None)
@given(graphs(), TREES, st.integers(1, 6))
def test_even_intervals_cover_everything_and_differ_by_one_states_entries(graph, build, count):
    script = build(0, graph.__getitem__)
    intervals = even_intervals(script, count)
    assert len(intervals) == count
    assert [number for interval in intervals for number in interval.states] == list(range(script.states))
    assert sum(interval.transitions for interval in intervals) == script.transitions
    most = max(map(len, script.entries))
    assert all(abs(interval.transitions - script.transitions / count) < most + 1 for interval in intervals)


def test_even_intervals_follow_the_rule_of_the_certificate():
    script = Script.depth_first("a", DIAMONDS.__getitem__)  # 2, 2, 2 and 0 entries
    assert [
        (interval.states, interval.transitions, interval.path) for interval in even_intervals(script, 2)
    ] == [
        (range(2), 4, ()),
        (range(2, 4), 2, (0, 0)),
    ]


@pytest.mark.parametrize("cut", [even_intervals, lambda script, count: partition(script, [], count)])
def test_a_partition_into_nothing_is_refused(cut):
    with pytest.raises(ValueError, match="a partition has at least 1"):
        cut(CHAIN, 0)


def test_a_hundred_regions_are_uneven_and_a_hundred_intervals_are_not():
    chance = random.Random(7)
    states = 50_000
    graph = [[chance.randrange(states) for _ in range(4)] for _ in range(states)]
    script = Script.breadth_first(0, graph.__getitem__)
    regions = partition(script, subgraphs(script), 100)
    assert len(regions) == 100
    assert max(region.transitions for region in regions) < 0.03 * script.transitions
    even = even_intervals(script, 100)
    assert max(interval.transitions for interval in even) <= script.transitions / 100 + 4


# 4.3


@settings(deadline=None)
@given(graphs(), st.integers(0, 2**32))
def test_without_duplicates_the_script_of_a_forgetful_search_is_that_of_an_ordinary_one(graph, seed):
    rows = forgetful_search(graph, random.Random(seed))
    assume(rows is not None)
    assert Script.from_rows(without_duplicates(rows)) == Script.depth_first(0, graph.__getitem__)


def forgetful_search(graph, chance):
    """Depth first; whatever is not on the stack may be forgotten at any time. None: too long."""
    names = {}
    columns = [("-", "S1")]
    remembered = set()

    def explore(state, stack):
        names.setdefault(state, f"S{len(names) + 1}")
        for position, successor in enumerate(graph[state]):
            columns.append((f"t{position + 1}", names.get(successor, f"S{len(names) + 1}")))
            if successor not in remembered and successor not in stack:
                explore(successor, stack | {successor})
            columns.append(("B", names[state]))
            if len(columns) > 3000:
                raise OverflowError
        if chance.random() < 0.7:
            remembered.add(state)

    try:
        explore(0, {0})
    except OverflowError:
        return None
    return Rows(tuple(label for label, _ in columns), tuple(name for _, name in columns))


# 4.4


@settings(deadline=None)
@given(graphs(), TREES)
def test_marks_and_counts_forget_alike_and_never_need_more_than_the_full_map(graph, build):
    script = build(0, graph.__getitem__)
    model = model_of(graph, 0)
    largest = certify_with_marks(script, model, last_occurrences(script))
    assert largest == certify_with_counts(script, model, reference_counts(script))
    assert largest <= len(certify(script, model))
    assert certify_with_marks(script, model, [False] * (script.transitions + 1)) == script.states


def test_a_comb_needs_two_entries_whatever_its_length():
    # Each state leads on and back to its parent; the way back is its last occurrence.
    graph = {number: [number - 1] * (number > 0) + [number + 1] * (number < 99) for number in range(100)}
    script = Script.depth_first(0, graph.__getitem__)
    assert certify_with_marks(script, model_of(graph, 0), last_occurrences(script)) == 2


@settings(deadline=None)
@given(graphs(), TREES)
def test_certification_that_forgets_refuses_what_the_full_map_refuses(graph, build):
    model = model_of(graph, 0)
    for forged in forgeries(build(0, graph.__getitem__)):
        try:
            certify(forged, model)
        except VeracityError:
            with pytest.raises(VeracityError):
                certify_with_marks(forged, model, last_occurrences(forged))
            with pytest.raises(VeracityError):
                certify_with_counts(forged, model, reference_counts(forged))
        else:
            certify_with_marks(forged, model, last_occurrences(forged))


@settings(deadline=None)
@given(graphs(), TREES, st.data())
def test_no_marks_and_no_counts_make_a_wrong_script_pass(graph, build, data):
    model = model_of(graph, 0)
    for forged in forgeries(build(0, graph.__getitem__)):
        try:
            certify(forged, model)
        except VeracityError:
            seed = data.draw(st.integers(0, 2**32))
            chance = random.Random(seed)
            marks = [chance.random() < 0.3 for _ in range(forged.transitions + 1)]
            with pytest.raises((VeracityError, MarkProblem)):
                certify_with_marks(forged, model, marks)
            counts = [chance.randrange(-1, 3) for _ in range(forged.states)]
            with pytest.raises((VeracityError, MarkProblem)):
                certify_with_counts(forged, model, counts)


def test_a_state_forgotten_too_early_ends_certification():
    script = Script.depth_first("a", DIAMONDS.__getitem__)
    model = model_of(DIAMONDS)
    marks = last_occurrences(script)
    assert marks == [False, True, False, False, True, True, True]  # a b c d a d c
    with pytest.raises(MarkProblem, match="state 0 was forgotten before state 2 refers to it"):
        certify_with_marks(script, model, [True, *marks[1:]])
    with pytest.raises(MarkProblem, match="state 3 was forgotten before state 1 refers to it"):
        certify_with_counts(script, model, [1, 0, 1, 0])
    with pytest.raises(MarkProblem, match="6 marks for 7 occurrences"):
        certify_with_marks(script, model, marks[1:])
    with pytest.raises(MarkProblem, match="3 counts for 4 states"):
        certify_with_counts(script, model, [1, 0, 1])


def test_a_wrong_forward_reference_cannot_be_marked_away():
    # b says that its first transition leads to d, number 2; marked, it would never be compared.
    forged = Script(((TREE, TREE), (2, TREE), (), (2, 0)))
    marks = last_occurrences(forged)
    marks[2] = True
    with pytest.raises(MarkProblem, match="state 2 was to be forgotten before it was visited"):
        certify_with_marks(forged, model_of(DIAMONDS), marks)
