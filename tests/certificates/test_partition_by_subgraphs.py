"""The native Algorithm 3.2 cuts as the plain one does, and what it cuts is as hard to forge as the whole."""

from __future__ import annotations

import secrets
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from assay import _engine
from assay.certification import certify
from assay.certification.products import product
from assay.certification.subgraphs import RegionSource, require_cover
from assay.certification.task import CertificationTask, walk
from assay.evidence.certificate.frames import Frame
from assay.evidence.certificate.header import CertificateProblem
from assay.evidence.script import Script
from assay.evidence.verdict import Verdict
from assay.transition_system.interface import Opening
from assay.transition_system.language_options import OptionProblem
from tests.certificates.attacks import Subject, hide_subtree, references, sealed
from tests.certificates.graph_certificates import Certificate, RawFrame, default_header, file_bytes, varint
from tests.certificates.test_native_walk import produced
from tests.certificates.test_thesis_examples import FIGURE_3_3
from tests.conformance.graphs import Graph
from tests.oracles.thesis.partition import PartitionProblem, partition
from tests.oracles.thesis.partition import subgraphs as list_of

LARGEST_LISTED = (1 << 49) - 1  # a varint of seven bytes

adjacency = st.integers(1, 24).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, size - 1), max_size=4).map(tuple), min_size=size, max_size=size
    )
)
trees = st.sampled_from([Script.depth_first, Script.breadth_first])
region_counts = st.sampled_from([1, 2, 3, 4, 7, 100])
frame_counts = st.integers(1, 5)


def certificate_of(script: Script, frames: int = 1) -> Certificate:
    certificate = Certificate(
        default_header(subgraphs=True),
        [list(own) for own in script.entries],
        [],
        [0] * frames,
        subgraphs=True,
    )
    certificate.recount()
    return certificate


def read(frames: list[RawFrame], *, trusted: bool = False, memory_limit_bytes: int = 0) -> _engine.Subgraphs:
    subgraphs = _engine.Subgraphs(
        sum(frame.states for frame in frames),
        sum(frame.entries for frame in frames),
        trusted=trusted,
        memory_limit_bytes=memory_limit_bytes,
    )
    for frame in frames:
        subgraphs.read(
            frame.states,
            frame.entries,
            frame.references,
            frame.start,
            frame.bits,
            frame.ids,
            frame.counts,
            frame.subgraphs,
        )
    return subgraphs


def cut(subgraphs: _engine.Subgraphs, regions: int) -> list[_engine.Region]:
    return subgraphs.partition(regions, lambda: None)


def facts(region):
    """The same of a native region and a plain one."""
    holes = [(hole.start, hole.stop) if isinstance(hole, range) else hole for hole in region.cut]
    return region.root, region.end, holes, region.transitions, list(region.path)


def outcome(attempt):
    """Regions, or why there are none."""
    try:
        return list(map(facts, attempt()))
    except (PartitionProblem, _engine.Rejected) as problem:
        return str(problem)


def sources(subgraphs: _engine.Subgraphs, regions: int) -> list[RegionSource]:
    return [
        RegionSource(
            region.root,
            region.end,
            tuple(region.cut),
            tuple(Frame(*sections) for sections in subgraphs.script(index)),
        )
        for index, region in enumerate(cut(subgraphs, regions))
    ]


def model_of(graph) -> _engine.ExplicitGraph:
    """Node i is the state of the one word i + 100."""
    size = len(graph)
    edges = tuple(tuple((target, 0) for target in targets) for targets in graph)
    return Graph(tuple((node + 100,) for node in range(size)), edges, (True,) * size, (0,) * size).native()


def holds(
    model: _engine.Model, tasks: list[RegionSource], states: int, purpose: str = "authenticate"
) -> bool:
    """What the coordinator concludes from the reports of all tasks."""
    drawn = secrets.token_bytes(_engine.Walk.secret_bytes(model))
    try:
        reports = [
            walk(
                model,
                CertificationTask(
                    opening=Opening(""),
                    source=source,
                    purpose=purpose,
                    secrets=drawn,
                    total_states=states,
                    check_deadlock=False,
                ),
                lambda _: None,
            )
            for source in tasks
        ]
    except CertificateProblem:
        return False
    referred = product(report.referred for report in reports)
    visited = product(report.visited for report in reports)
    all_visited = sum(report.states for report in reports) == states
    return all_visited and all(report.is_finished for report in reports) and referred == visited


# --- The partition --------------------------------------------------------------------------------------


def test_figure_3_3_has_the_regions_and_paths_of_the_plain_algorithm():
    script = Script.depth_first("S1", FIGURE_3_3.__getitem__)
    subgraphs = read(certificate_of(script).raw_frames())
    assert [facts(region) for region in cut(subgraphs, 3)] == [
        (3, 6, [], 4, [0, 0, 0]),
        (6, 9, [], 5, [1]),
        (0, 9, [(3, 6), (6, 9)], 4, []),
    ]


def test_figure_3_3_has_scripts_in_which_spanning_transitions_refer():
    script = Script.depth_first("S1", FIGURE_3_3.__getitem__)
    subgraphs = read(certificate_of(script).raw_frames())
    cut(subgraphs, 3)
    # S4 to S6: t1 and t2 of S4 are productive, S6 leads to S5 and S3. S4 is referred to by S3, S5 by S6.
    assert subgraphs.script(0) == [
        (3, 4, 2, b"\x03" + b"\x00\x00" * 3, b"\x03", bytes([3, 9]), bytes([1, 1, 0]))
    ]
    # S1 to S3: S1 leads to S2 and refers to S7, S2 leads to S3, S3 refers to S4.
    assert subgraphs.script(2) == [(3, 4, 2, b"\x00", b"\x05", bytes([12, 0]), bytes([1, 1, 1]))]


@settings(max_examples=300, deadline=None)
@given(adjacency, trees, region_counts, frame_counts)
def test_the_native_partition_is_the_plain_one(graph, build, regions, frames):
    script = build(0, graph.__getitem__)
    expected = partition(script, list_of(script), regions)
    subgraphs = read(certificate_of(script, frames).raw_frames())
    assert list(map(facts, cut(subgraphs, regions))) == list(map(facts, expected))
    require_cover(sources(subgraphs, regions), script.states)


@settings(max_examples=300, deadline=None)
@given(adjacency, trees, region_counts, st.data())
def test_a_wrong_list_is_refused_whatever_it_would_lead_to(graph, build, regions, data):
    script = build(0, graph.__getitem__)
    listed = list_of(script)
    for _ in range(data.draw(st.integers(1, 3))):
        number = data.draw(st.integers(0, script.states - 1))
        near = st.integers(max(0, listed[number] - 2), listed[number] + 2)
        listed[number] = data.draw(near | st.integers(0, LARGEST_LISTED))
    (frame,) = certificate_of(script).raw_frames()
    frame.subgraphs = b"".join(
        varint(len(own)) + varint(size) for own, size in zip(script.entries, listed, strict=True)
    )
    subgraphs = read([frame])
    if listed == list_of(script):
        assert outcome(lambda: cut(subgraphs, regions)) == outcome(lambda: partition(script, listed, regions))
        assert holds(model_of(graph), sources(subgraphs, regions), script.states)
        return
    with pytest.raises(_engine.Rejected, match="transitions for the subtree of state"):
        cut(subgraphs, regions)


def test_of_equal_sizes_the_lowest_number_is_cut_out():
    script = Script.depth_first(0, [(1, 2, 3), (0, 0), (0, 0), (0, 0)].__getitem__)
    subgraphs = read(certificate_of(script).raw_frames())
    assert [region.root for region in cut(subgraphs, 4)] == [1, 2, 3, 0]
    assert [region.root for region in cut(subgraphs, 9)] == [1, 2, 3, 0]
    assert [region.root for region in cut(subgraphs, 1)] == [0]


def test_a_partition_can_be_stopped_between_regions():
    class Enough(Exception):
        pass

    def stop():
        raise Enough

    script = Script.depth_first(0, [(1,), (0,)].__getitem__)
    with pytest.raises(Enough):
        read(certificate_of(script).raw_frames()).partition(2, stop)


def test_regions_longer_than_a_frame_are_written_in_several():
    size = 90_000  # states in a row, each of which also leads back to the first
    model = model_of([((node + 1) % size, 0) for node in range(size)])
    _, frames = produced(model, "dfs", 3, subgraphs=True)
    subgraphs = read(frames)
    assert [facts(region) for region in cut(subgraphs, 2)] == [
        (size // 2, size, [], size, [0] * (size // 2)),
        (0, size, [(size // 2, size)], size, []),
    ]
    assert [len(subgraphs.script(region)) for region in range(2)] == [1, 1]
    cut(subgraphs, 1)
    assert [frame[:3] for frame in subgraphs.script(0)] == [(65536, 131072, 65536), (24464, 48928, 24465)]
    for regions in (1, 2, 7):
        assert holds(model, sources(subgraphs, regions), size)


# --- Regions are as hard to forge as the whole ----------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(adjacency, trees, region_counts, frame_counts)
def test_the_regions_of_an_honest_script_hold(graph, build, regions, frames):
    script = build(0, graph.__getitem__)
    raw = certificate_of(script, frames).raw_frames()
    assert holds(model_of(graph), sources(read(raw), regions), script.states)
    for frame in raw:
        frame.ids = frame.counts = b"not looked at"
    assert holds(model_of(graph), sources(read(raw, trusted=True), regions), script.states, "trust")


# No two states of these graphs are equal, so a script that is changed anywhere cannot be right.


@settings(max_examples=200, deadline=None)
@given(adjacency, trees, region_counts, st.data())
def test_a_reference_to_another_state_is_found_whichever_regions_have_them(graph, build, regions, data):
    script = build(0, graph.__getitem__)
    forged = certificate_of(script)
    places = references(forged)
    assume(places and script.states > 1)
    number, position = data.draw(st.sampled_from(places))
    others = [other for other in range(script.states) if other != script.entries[number][position]]
    forged.entries[number][position] = data.draw(st.sampled_from(others))
    forged.recount()
    assert not holds(model_of(graph), sources(read(forged.raw_frames()), regions), script.states)


@settings(max_examples=200, deadline=None)
@given(adjacency, trees, region_counts, st.data())
def test_a_hidden_subtree_is_found_whichever_region_had_it(graph, build, regions, data):
    script = build(0, graph.__getitem__)
    assume(script.states > 1)
    forged = certificate_of(script)
    number = data.draw(st.integers(1, script.states - 1))
    end = script.tree().ends[number]
    hide_subtree(forged, number, data.draw(st.sampled_from([*range(number), *range(end, script.states)])))
    assert not holds(model_of(graph), sources(read(forged.raw_frames()), regions), len(forged.entries))


@settings(max_examples=200, deadline=None)
@given(adjacency, trees, region_counts, st.data())
def test_counts_that_are_moved_between_states_are_found_whichever_regions_have_them(
    graph, build, regions, data
):
    script = build(0, graph.__getitem__)
    forged = certificate_of(script)
    referred = [number for number, count in enumerate(forged.counts) if count]
    assume(referred and script.states > 1)
    giver = data.draw(st.sampled_from(referred))
    taker = data.draw(st.sampled_from([number for number in range(script.states) if number != giver]))
    forged.counts[giver] -= 1
    forged.counts[taker] += 1
    assert not holds(model_of(graph), sources(read(forged.raw_frames()), regions), script.states)


def test_a_region_that_starts_elsewhere_is_found():
    # Nodes 1 and 2 lead to the same states, so the walk of a region cannot tell them apart; the product does.
    graph = [(1, 2), (0, 0), (0, 0)]
    script = Script.depth_first(0, graph.__getitem__)
    honest = sources(read(certificate_of(script).raw_frames()), 3)
    assert [source.first_state for source in honest] == [1, 2, 0]
    assert holds(model_of(graph), honest, 3)
    (frame,) = honest[0].script
    assert frame.start == b"\x01\x00\x00"
    moved = replace(honest[0], script=(replace(frame, start=b"\x01\x01\x00"),))
    assert not holds(model_of(graph), [moved, *honest[1:]], 3)


# --- What is no script ----------------------------------------------------------------------------------

FIGURE = certificate_of(Script.depth_first("S1", FIGURE_3_3.__getitem__), 2)


def damaged(field, value):
    def damage(frames):
        setattr(frames[0], field, value(getattr(frames[0], field)))

    return damage


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (damaged("subgraphs", lambda old: old[:-1]), "Subgraphs does not list state 3"),
        (damaged("subgraphs", lambda old: old + b"\x00\x00"), "Subgraphs lists more states than a frame has"),
        (
            damaged("subgraphs", lambda old: b"\x09" + old[1:]),
            "Subgraphs lists 9 entries for state 0, where its frame has 6 left",
        ),
        (
            damaged("subgraphs", lambda old: b"\x01" + old[1:]),
            "Subgraphs lists 5 entries for the states of a frame with 6",
        ),
        (
            damaged("subgraphs", lambda old: old[:1] + b"\xff" * 8 + old[2:]),
            "Subgraphs does not list state 0",
        ),
        (damaged("start", lambda _: b"\x01\x00\x00"), "it does not start where the frame before it ends"),
        (damaged("bits", lambda _: b"\xff"), "unused bits of a frame are set"),
        (damaged("bits", lambda old: old + b"\x00"), "a frame has more or fewer bits than entries"),
        (damaged("ids", lambda old: old + b"\x00"), "a frame has more numbers than its entries need"),
        (damaged("counts", lambda old: old[:-1]), "a frame has fewer reference counts than states"),
        (
            damaged("counts", lambda old: b"\x63" + old[1:]),
            "state 0 is said to be referred to 99 times by 13 entries",
        ),
        (
            damaged("references", lambda old: old + 1),
            "a frame has another number of references than the index says",
        ),
    ],
)
def test_frames_that_are_malformed_are_rejected_with_a_sentence(damage, sentence):
    frames = FIGURE.raw_frames()
    damage(frames)
    with pytest.raises(_engine.Rejected, match=f"^{sentence}$"):
        read(frames)


def test_a_state_that_no_entry_leads_to_is_rejected():
    frame = FIGURE.raw_frames()[0]
    frame.bits, frame.ids, frame.references = b"\x00", bytes(frame.entries), frame.entries
    with pytest.raises(_engine.Rejected, match=r"^no entry leads to state 1$"):
        read([frame])


def test_references_out_of_range_are_rejected_unless_they_are_not_read():
    (frame,) = certificate_of(Script.depth_first(0, [(0,)].__getitem__)).raw_frames()
    frame.ids = b"\x02"
    with pytest.raises(
        _engine.Rejected, match=r"^entry 0 of state 0 refers to state 1, which the script does not have$"
    ):
        read([frame])
    assert [region.root for region in cut(read([frame], trusted=True), 2)] == [0]


def test_a_script_that_announces_more_states_than_it_has_is_rejected():
    (frame,) = certificate_of(Script.depth_first(0, [(0,)].__getitem__)).raw_frames()
    frame.bits, frame.ids, frame.references = b"\x01", b"", 0
    subgraphs = read([frame])
    with pytest.raises(_engine.Rejected, match=r"^the script ends although states are left to visit$"):
        cut(subgraphs, 1)


def test_counts_that_do_not_add_up_are_rejected():
    frames = FIGURE.raw_frames()
    frames[0].counts = b"\x02" + frames[0].counts[1:]
    with pytest.raises(
        _engine.Rejected, match=r"^states are said to be referred to 6 times by 5 references$"
    ):
        cut(read(frames), 2)


def test_frames_beyond_the_size_that_was_announced_are_rejected():
    subgraphs = _engine.Subgraphs(3, 3, trusted=False, memory_limit_bytes=0)
    frame = FIGURE.raw_frames()[0]
    with pytest.raises(
        _engine.Rejected, match=r"^the frames have more states or entries than the header says$"
    ):
        subgraphs.read(5, 6, 1, frame.start, frame.bits, frame.ids, frame.counts, frame.subgraphs)


def test_a_memory_limit_is_kept_before_memory_is_taken():
    with pytest.raises(MemoryError):
        _engine.Subgraphs(4_000_000_000, 4_000_000_000, trusted=False, memory_limit_bytes=1 << 30)
    with pytest.raises(ValueError, match="at most as many entries"):
        _engine.Subgraphs(1, (1 << 32) - 1, trusted=False, memory_limit_bytes=0)


# --- The command ----------------------------------------------------------------------------------------

PROGRAM = """
byte a, b;
active proctype Left() { do :: a < 4 -> a++ :: a == 4 && b == 4 -> break od }
active proctype Right() { do :: b < 4 -> b++ :: a == 4 && b == 4 -> break od }
"""


@pytest.fixture(scope="module")
def subject(tmp_path_factory) -> Subject:
    path = tmp_path_factory.mktemp("program") / "counters.pml"
    path.write_text(PROGRAM)
    return Subject(path)


def verdict_of(subject: Subject, data: bytes, directory: Path, **options):
    file = directory / "counters.assay"
    file.write_bytes(data)
    return certify(subject.path, file, explain_rejection=False, **options)


@pytest.mark.parametrize("tree", ["breadth-first", "depth-first"])
@pytest.mark.parametrize("tasks", [1, 2, 5, 1000])
def test_both_partitions_verify_an_honest_certificate(subject, tree, tasks, tmp_path):
    honest = subject.honest(tree=tree, frames=5, subgraphs=True)
    data = sealed(honest)
    states, transitions = honest.header["states"], honest.header["transitions"]
    for partition_by, used in (("intervals", min(tasks, 5)), ("subgraphs", min(tasks, states))):
        result = verdict_of(subject, data, tmp_path, tasks=tasks, partition=partition_by, workers=2)
        assert (result.verdict, result.reasons) == (Verdict.VERIFIED, ())
        assert result.complete
        assert (result.states, result.transitions, result.tasks) == (states, transitions, used)
        assert result.options["partition"] == partition_by


def test_the_figures_are_those_of_the_regions(subject, tmp_path):
    honest = subject.honest(frames=5, subgraphs=True)
    script = Script(tuple(map(tuple, honest.entries)))
    regions = partition(script, list_of(script), 4)
    result = verdict_of(subject, sealed(honest), tmp_path, tasks=4, partition="subgraphs")
    assert result.largest_task_share == max(region.transitions for region in regions) / script.transitions
    assert result.longest_path == max(len(region.path) for region in regions)
    assert result.average_path == sum(len(region.path) for region in regions) / 4
    assert result.depth == honest.header["depth"]


def test_a_trusted_certificate_is_cut_too(subject, tmp_path):
    honest = subject.honest(frames=2, subgraphs=True)
    result = verdict_of(
        subject, sealed(honest), tmp_path, tasks=3, partition="subgraphs", mode="trusted", trust_unsigned=True
    )
    assert (result.verdict, result.complete, result.tasks) == (Verdict.VERIFIED, False, 3)
    assert (result.states, result.transitions) == (honest.header["states"], honest.header["transitions"])


@pytest.mark.parametrize("tasks", [1, 3, 8])
def test_both_partitions_reject_forged_references(subject, tasks, tmp_path):
    honest = subject.honest(frames=3, subgraphs=True)
    referring = references(honest)
    for number, position in referring[:: len(referring) // 2]:
        forged = subject.honest(frames=3, subgraphs=True)
        forged.entries[number][position] = (forged.entries[number][position] + 1) % len(forged.entries)
        forged.recount()
        for partition_by in ("intervals", "subgraphs"):
            result = verdict_of(subject, sealed(forged), tmp_path, tasks=tasks, partition=partition_by)
            assert result.verdict is Verdict.REJECTED


def test_a_wrong_size_is_rejected_whether_or_not_its_state_is_chosen(subject, tmp_path):
    honest = subject.honest(subgraphs=True)
    script = Script(tuple(map(tuple, honest.entries)))
    listed = list_of(script)
    chosen = partition(script, listed, 2)[0].root
    (frame,) = honest.raw_frames()

    def result_with(wrong: list[int]):
        frame.subgraphs = b"".join(
            varint(len(own)) + varint(size) for own, size in zip(script.entries, wrong, strict=True)
        )
        return verdict_of(
            subject, file_bytes(honest.header, [frame]), tmp_path, tasks=2, partition="subgraphs"
        )

    fair = -(-script.transitions // 2)  # nobody is closer to a half
    other = next(number for number in range(1, script.states) if number != chosen)
    wrong = [*listed[:other], fair, *listed[other + 1 :]]
    result = result_with(wrong)
    assert result.verdict is Verdict.REJECTED
    assert result.reasons == (
        f"Subgraphs lists {fair} transitions for the subtree of state {other}, "
        f"which has {listed[other]} in the script",
    )
    wrong[other] = LARGEST_LISTED
    assert result_with(wrong).verdict is Verdict.REJECTED


def test_what_cannot_be_cut_by_subgraphs_is_refused_with_a_sentence(subject, tmp_path):
    data = sealed(subject.honest())
    with pytest.raises(OptionProblem, match=r"^partition: the certificate has no list of subgraphs; leave"):
        verdict_of(subject, data, tmp_path, partition="subgraphs")
    with pytest.raises(OptionProblem, match=r"^partition: to explain, one map of all states is kept, so"):
        verdict_of(subject, data, tmp_path, partition="subgraphs", mode="explained")
    with pytest.raises(
        OptionProblem, match=r"^partition: expected one of intervals, subgraphs, got 'halves'$"
    ):
        verdict_of(subject, data, tmp_path, partition="halves")


def test_time_and_memory_limits_hold_while_the_script_is_cut(subject, tmp_path):
    data = sealed(subject.honest(subgraphs=True))
    late = verdict_of(subject, data, tmp_path, tasks=3, partition="subgraphs", timeout_seconds=1e-9)
    assert late.verdict is Verdict.INCOMPLETE
    assert late.reasons == ("time ran out before the program was compiled",)
    tight = verdict_of(subject, data, tmp_path, tasks=3, partition="subgraphs", memory_limit_bytes=100)
    assert tight.verdict is Verdict.INCOMPLETE
