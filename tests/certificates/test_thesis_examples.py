"""The examples that the thesis and the paper print, cell by cell.

Figures 3.1, 3.2 and 4.3 are determined by the scripts printed beside them.

Of Figure 3.3 the texts print region p1 alone. They also say: S4, S5 and S6 make up p1 and have four
transitions; S1, S2 and S3 are the ancestors of S4, reached by t1 t1 t1; S6 leads to S3; with three
regions p1 is cut out first, p2 has an initialization path too, and the transition from S3 to S4 spans
regions. Not in the texts: what else S1, S2 and S3 do, how many states there are, the sizes of all
other subtrees and the root of p2. `FIGURE_3_3` fills that in as we like; only what is printed
is asserted of it as the thesis's, the rest follows from the definitions.
"""

import pytest

from assay.evidence.script import TREE, MalformedScript, Rows, Script
from tests.oracles.thesis.certification import Model, certify
from tests.oracles.thesis.duplicates import without_duplicates
from tests.oracles.thesis.parallel import certify_in_parallel
from tests.oracles.thesis.partition import partition, subgraphs
from tests.oracles.thesis.trustful import perfect_search

FIGURE_3_1 = {
    "S1": ["S2", "S4"],
    "S2": ["S1", "S3"],
    "S3": ["S1", "S4", "S5"],
    "S4": ["S2"],
    "S5": ["S4"],
}
FIGURE_3_1_SCRIPT = Rows.parse("""
Trans instr:	-	t1	t1	B	t2	t1	B	t2	t1	B	B	t3	t1	B	B	B	B	t2	B
State ID:	S1	S2	S1	S2	S3	S1	S3	S4	S2	S4	S3	S5	S4	S5	S3	S2	S1	S4	S1
""")

FIGURE_3_3 = {
    "S1": ["S2", "S7"],  # t1 is printed
    "S2": ["S3"],  # t1 is printed
    "S3": ["S4"],  # t1 is printed
    "S4": ["S5", "S6"],  # printed
    "S5": [],  # printed
    "S6": ["S5", "S3"],  # printed
    "S7": ["S8", "S9", "S1"],
    "S8": ["S7"],
    "S9": ["S2"],
}

FIGURE_4_3 = {
    "S1": ["S2", "S7"],
    "S2": ["S3"],
    "S3": ["S4", "S6"],
    "S4": ["S5"],
    "S5": [],
    "S6": [],
    "S7": ["S3"],
}
FIGURE_4_3_SCRIPT = Rows.parse("""
Trans instr:	-	t1	t1	t1	t1	B	B	t2	B	B	B	t2	t1	B	B
State ID:	S1	S2	S3	S4	S5	S4	S3	S6	S3	S2	S1	S7	S3	S7	S1
""")
# As printed the upper row is one cell short: the t1 that leads to S5 again is missing.
FIGURE_4_3_WITH_CACHE = Rows.parse("""
Trans instr:	-	t1	t1	t1	t1	B	B	t2	B	B	B	t2	t1	t1	t1	B	B	t2	B	B	B
State ID:	S1	S2	S3	S4	S5	S4	S3	S6	S3	S2	S1	S7	S3	S4	S5	S4	S3	S6	S3	S7	S1
""")


def model_of(graph):
    return Model("S1", graph.__getitem__)


def depth_first(graph):
    return Script.depth_first("S1", graph.__getitem__)


def names(numbers):
    return [f"S{number + 1}" for number in numbers]


def test_figure_3_1_has_the_printed_script():
    script = depth_first(FIGURE_3_1)
    assert script.rows() == FIGURE_3_1_SCRIPT
    assert (script.states, script.transitions, script.references) == (5, 9, 5)
    assert script.entries == ((TREE, 3), (0, TREE), (0, TREE, TREE), (1,), (3,))


def test_figure_3_1_reads_back_from_its_two_rows():
    assert Script.from_rows(FIGURE_3_1_SCRIPT) == depth_first(FIGURE_3_1)
    assert Rows.parse(str(FIGURE_3_1_SCRIPT)) == FIGURE_3_1_SCRIPT


def test_figure_3_1_certifies_and_gives_every_state_its_printed_name():
    visited = certify(depth_first(FIGURE_3_1), model_of(FIGURE_3_1))
    assert [visited[number] for number in range(5)] == ["S1", "S2", "S3", "S4", "S5"]


def test_figure_3_2_is_the_printed_perfect_search():
    instructions = depth_first(FIGURE_3_1).trustful_rows()
    assert " ".join(instructions) == "t1 t2 t2 B t3"
    assert list(perfect_search(instructions, model_of(FIGURE_3_1))) == ["S1", "S2", "S3", "S4", "S5"]


def test_figure_3_3_lists_four_transitions_for_s4():
    assert subgraphs(depth_first(FIGURE_3_3)) == [13, 6, 5, 4, 0, 2, 5, 1, 1]


def test_figure_3_4_cuts_out_the_printed_region_first():
    script = depth_first(FIGURE_3_3)
    first = partition(script, subgraphs(script), 3)[0]
    assert names([first.root]) == ["S4"]
    assert names(first.states()) == ["S4", "S5", "S6"]
    assert first.transitions == 4
    assert names(first.ancestors) == ["S1", "S2", "S3"]
    assert first.path == (0, 0, 0)  # t1 t1 t1


def test_figure_3_4_prints_the_script_of_p1_without_trailing_backtracks():
    script = depth_first(FIGURE_3_3)
    rows = partition(script, subgraphs(script), 3)[0].rows(script)
    assert " ".join(rows.instructions) == "t1 B t2 t1 B t2"
    assert " ".join(rows.states) == "S5 S4 S6 S5 S6 S3"
    # Before that the thesis prints it with them.
    assert " ".join(Rows.of(script.steps(root=3)).instructions) == "t1 B t2 t1 B t2 B B"
    assert " ".join(Rows.of(script.steps(root=3)).states) == "S5 S4 S6 S5 S6 S3 S6 S4"


def test_figure_3_5_divides_the_graph_into_three_regions():
    script = depth_first(FIGURE_3_3)
    first, second, last = partition(script, subgraphs(script), 3)
    assert (names(second.states()), second.path, second.transitions) == (["S7", "S8", "S9"], (1,), 5)
    assert (names(last.states()), last.path, last.transitions) == (["S1", "S2", "S3"], (), 4)
    # The transition from S3 to S4 stays, as one to a state that has its number already.
    assert " ".join(last.rows(script).instructions) == "t1 t1 t1 B B B t2"
    assert " ".join(last.rows(script).states) == "S2 S3 S4 S3 S2 S1 S7"
    visited = certify_in_parallel(script, model_of(FIGURE_3_3), [first, second, last])
    assert visited == certify(script, model_of(FIGURE_3_3))


def test_figure_3_6_removes_the_productive_transitions_that_span_regions():
    script = depth_first(FIGURE_3_3)
    regions = partition(script, subgraphs(script), 3)
    assert [" ".join(region.trustful_rows(script)) for region in regions] == [
        "t1 B t2",
        "t1 B t2",
        "t1 t1",
    ]


def test_a_trustful_partition_counts_productive_transitions_alone():
    script = depth_first(FIGURE_3_3)
    assert subgraphs(script, trustful=True) == [8, 4, 3, 2, 0, 0, 2, 0, 0]
    regions = partition(script, subgraphs(script, trustful=True), 3, trustful=True)
    assert [(names(region.states()), region.transitions) for region in regions] == [
        (["S3", "S4", "S5", "S6"], 3),
        (["S7", "S8", "S9"], 2),
        (["S1", "S2"], 1),
    ]


def test_figure_4_3_has_the_printed_script():
    assert depth_first(FIGURE_4_3).rows() == FIGURE_4_3_SCRIPT


def test_duplicates_are_removed_from_the_printed_script_of_a_search_that_forgets():
    assert without_duplicates(FIGURE_4_3_WITH_CACHE) == FIGURE_4_3_SCRIPT
    assert without_duplicates(FIGURE_4_3_SCRIPT) == FIGURE_4_3_SCRIPT


def test_a_script_that_explores_a_state_again_is_refused_before_duplicates_are_removed():
    with pytest.raises(MalformedScript, match="column 14: S3 is explored again"):
        Script.from_rows(FIGURE_4_3_WITH_CACHE)


def test_two_transitions_to_the_same_state_are_no_duplicates():
    rows = Script.depth_first("a", {"a": ["b", "b", "c"], "b": [], "c": []}.__getitem__).rows()
    assert without_duplicates(rows) == rows
