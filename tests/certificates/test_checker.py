"""The independent checker accepts what is true and rejects, with a sentence, everything else."""

from __future__ import annotations

import copy
import dataclasses
import json
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import checker, languages
from assay._engine import CompiledModel
from assay.checker.__main__ import main
from assay.checker.container import LARGEST_START, MOST_FRAMES, read_container
from assay.checker.walk import check_script
from assay.transition_system.language_options import LanguageOptions
from tests.certificates import graph_certificates as forge
from tests.certificates.graph_certificates import TREE, Certificate, certify, file_bytes
from tests.conformance.graphs import Graph, PlainModel, random_graph

MODELS = Path(__file__).parents[2] / "benchmarks" / "models"
EXAMPLES = Path(__file__).parents[2] / "examples"
TREES = ("breadth-first", "depth-first")


def graph_of(*edges: tuple[int, ...]) -> Graph:
    """Nodes with these targets; node i is the state of the one word i + 100."""
    return Graph(
        tuple((node + 100,) for node in range(len(edges))),
        tuple(tuple((target, 0) for target in targets) for targets in edges),
        (True,) * len(edges),
        (0,) * len(edges),
    )


def without_violations(graph: Graph) -> Graph:
    edges = tuple(tuple((max(target, 0), 0) for target, _ in of_node) for of_node in graph.edges)
    return dataclasses.replace(graph, edges=edges, state_violations=(0,) * len(graph.states))


DIAMOND = graph_of((1, 2), (3,), (3,), ())
SMALL = [
    DIAMOND,
    graph_of((0,)),
    graph_of((1,), (2,), (0, 2)),
    graph_of((1, 1, 2), (0, 2), (1, 3), (3, 2, 4), (0,)),
    graph_of((1, 2, 3), (4, 5), (4, 6), (5, 6), (7,), (7,), (7,), (0, 7)),
]


def is_true(certificate: Certificate, model) -> bool:
    """The definition of a right script, with a table of all states: what the checker must agree with."""
    pending, visited, references = [model.initial_state()[0]], [], []
    for entries in certificate.entries:
        if not pending:
            return False
        state = pending.pop()
        visited.append(state)
        successors = [successor for successor, _ in model.successors(state)]
        if len(successors) != len(entries):
            return False
        pairs = list(zip(entries, successors, strict=True))
        references += [(entry, successor) for entry, successor in pairs if entry != TREE]
        pending += [successor for entry, successor in reversed(pairs) if entry == TREE]
    return not pending and all(
        number < len(visited) and visited[number] == state for number, state in references
    )


def is_accepted(data: bytes, model) -> bool:
    try:
        checker.check_bytes(data, model)
    except checker.Rejected:
        return False
    return True


def reason_for(data: bytes, model) -> str:
    with pytest.raises(checker.Rejected) as rejection:
        checker.check_bytes(data, model)
    return str(rejection.value)


# --- Honest certificates --------------------------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 9), st.sampled_from(TREES), st.booleans())
def test_honest_certificates_of_random_graphs_are_accepted(seed, frames, tree, subgraphs):
    model = without_violations(random_graph(seed)).native()
    certificate = certify(model, tree=tree, frames=frames, subgraphs=subgraphs)
    accepted = checker.check_bytes(certificate.to_bytes(), model)
    assert accepted.states == len(set(certificate.states)) == len(certificate.states)
    assert accepted.transitions == sum(map(len, certificate.entries))
    assert accepted.references == accepted.transitions - (accepted.states - 1)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**9), st.data())
def test_frames_may_begin_anywhere(seed, data):
    model = without_violations(random_graph(seed)).native()
    certificate = certify(model)
    cuts = data.draw(st.lists(st.integers(0, len(certificate.entries)), max_size=6))
    certificate.frame_begins = [0, *sorted(cuts)]
    certificate.header["frames"] = len(cuts) + 1
    assert checker.check_bytes(certificate.to_bytes(), model).states == len(certificate.entries)


def test_the_sections_of_a_diamond_are_those_worked_out_by_hand():
    # Preorder 0, 1, 3, 2 of the nodes; the last state refers to the third, predicted as 1 + (3 - 0) = 4.
    certificate = certify(DIAMOND.native(), subgraphs=True)
    (frame,) = certificate.raw_frames()
    assert certificate.entries == [[TREE, TREE], [TREE], [], [2]]
    assert (frame.start, frame.bits, frame.ids, frame.counts) == (
        b"\x00",
        b"\x07",
        b"\x03",
        b"\x00\x00\x01\x00",
    )
    assert frame.subgraphs == bytes([2, 4, 1, 1, 0, 0, 1, 1])


def test_a_frame_begins_with_the_open_path_and_predicts_from_itself_alone():
    frames = certify(DIAMOND.native(), frames=2).raw_frames()
    assert [frame.states for frame in frames] == [1, 3]
    assert frames[1].start == bytes([1, 0, 1, 0])
    assert frames[1].ids == b"\x01"


def test_the_bound_on_wrong_acceptance_follows_from_the_counts():
    accepted = checker.check_bytes(certify(DIAMOND.native()).to_bytes(), DIAMOND.native())
    assert accepted.depth == 2
    assert accepted.wrong_acceptance_exponent == -122  # 3 * 4 + 4 = 16, and the prime is below 2^127


def test_a_subtree_visited_twice_is_harmless():
    certificate = certify(DIAMOND.native())
    certificate.entries = [[TREE, TREE], [TREE], [], [TREE], []]
    certificate.recount()
    assert checker.check_bytes(certificate.to_bytes(), DIAMOND.native()).states == 5


# --- Forged scripts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("graph", SMALL)
@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("frames", [1, 2, 5])
def test_every_change_of_one_entry_is_rejected_unless_the_script_stays_true(graph, tree, frames):
    model = graph.native()
    honest = certify(model, tree=tree, frames=frames)
    for number, entries in enumerate(honest.entries):
        for position, entry in enumerate(entries):
            for other in {TREE, *range(len(honest.entries))} - {entry}:
                forged = copy.deepcopy(honest)
                forged.entries[number][position] = other
                assert not is_accepted(forged.to_bytes(), model)
                forged.recount()
                assert is_accepted(forged.to_bytes(), model) == is_true(forged, model)


@pytest.mark.parametrize("graph", SMALL)
@pytest.mark.parametrize("tree", TREES)
def test_a_tree_with_one_edge_moved_is_rejected_unless_the_script_stays_true(graph, tree):
    """The numbers of the header stay right, so that only the walk can find out."""
    model = graph.native()
    honest = certify(model, tree=tree, frames=2)
    places = [(number, at) for number, of_state in enumerate(honest.entries) for at in range(len(of_state))]
    edges = [(number, at) for number, at in places if honest.entries[number][at] == TREE]
    references = [(number, at) for number, at in places if honest.entries[number][at] != TREE]
    for edge in edges:
        for reference in references:
            for target in range(len(honest.entries)):
                forged = copy.deepcopy(honest)
                forged.entries[edge[0]][edge[1]] = target
                forged.entries[reference[0]][reference[1]] = TREE
                forged.recount()
                assert is_accepted(forged.to_bytes(), model) == is_true(forged, model)


@pytest.mark.parametrize("graph", SMALL)
@pytest.mark.parametrize("tree", TREES)
def test_a_hidden_subtree_is_rejected_unless_its_states_are_not_lost(graph, tree):
    model = graph.native()
    honest = certify(model, tree=tree)
    parents = forge.Tree(honest.entries).parent
    depths = forge.Tree(honest.entries).depths()
    for number, link in enumerate(parents):
        if link is None:
            continue
        end = number + 1
        while end < len(depths) and depths[end] > depths[number]:
            end += 1
        for target in range(len(honest.entries) - (end - number)):
            forged = copy.deepcopy(honest)
            forged.entries[link[0]][link[1]] = target
            del forged.entries[number:end]
            forged.entries = [
                [entry - (end - number) if entry >= end else entry for entry in entries]
                for entries in forged.entries
            ]
            forged.recount()
            assert not is_true(forged, model)
            assert not is_accepted(forged.to_bytes(), model)


@pytest.mark.parametrize("graph", SMALL)
def test_dropping_the_last_state_is_rejected(graph):
    model = graph.native()
    forged = certify(model)
    forged.entries.pop()
    if not forged.entries:
        forged.entries.append([])
    forged.recount()
    forged.header["references"] = forged.header["transitions"] - (forged.header["states"] - 1)
    assert not is_accepted(forged.to_bytes(), model)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9), st.integers(1, 5), st.sampled_from(TREES), st.data())
def test_random_forgeries_are_accepted_exactly_when_they_are_true(seed, frames, tree, data):
    model = without_violations(random_graph(seed)).native()
    forged = certify(model, tree=tree, frames=frames)
    places = [(number, at) for number, of_state in enumerate(forged.entries) for at in range(len(of_state))]
    references = [(number, at) for number, at in places if forged.entries[number][at] != TREE]
    if not references:
        return
    for number, position in data.draw(st.lists(st.sampled_from(references), min_size=1, max_size=3)):
        forged.entries[number][position] = data.draw(st.integers(0, len(forged.entries) - 1))
    first, second = data.draw(st.tuples(st.sampled_from(references), st.sampled_from(references)))
    forged.entries[first[0]][first[1]], forged.entries[second[0]][second[1]] = (
        forged.entries[second[0]][second[1]],
        forged.entries[first[0]][first[1]],
    )
    forged.recount()
    assert is_accepted(forged.to_bytes(), model) == is_true(forged, model)


@pytest.mark.parametrize("graph", SMALL)
def test_wrong_counts_of_references_are_rejected(graph):
    model = graph.native()
    honest = certify(model)
    states = range(len(honest.entries))
    for number in states:
        for change in (1, -1, 127, 2**34):
            forged = copy.deepcopy(honest)
            forged.counts[number] += change
            if forged.counts[number] >= 0:
                assert "the counts add up to" in reason_for(forged.to_bytes(), model)
        for other in states:
            forged = copy.deepcopy(honest)
            forged.counts[number] += 1
            forged.counts[other] -= 1
            if forged.counts[other] >= 0 and number != other:
                assert "count of references is wrong" in reason_for(forged.to_bytes(), model)


@pytest.mark.parametrize("key", ["states", "transitions", "references", "depth", "frames"])
@pytest.mark.parametrize("change", [1, -1, 2**31, 2**64])
def test_a_number_of_the_header_that_is_wrong_is_rejected(key, change):
    forged = certify(SMALL[3].native(), frames=2)
    forged.header[key] += change
    assert not is_accepted(forged.to_bytes(), SMALL[3].native())


def test_numbers_of_the_header_that_do_not_fit_together_are_rejected():
    forged = certify(DIAMOND.native())
    frames = forged.raw_frames()
    frames[0] = dataclasses.replace(frames[0], references=0, bits=b"\x0f", ids=b"")
    forged.header["references"] = 0
    reason = reason_for(file_bytes(forged.header, frames), DIAMOND.native())
    assert reason == "the header's states, transitions and references do not fit together"


def test_numbers_that_fit_together_and_not_the_script_are_rejected():
    forged = certify(DIAMOND.native())
    frames = forged.raw_frames()
    frames[0] = dataclasses.replace(frames[0], states=5, entries=5, bits=b"\x17", counts=b"\0\0\1\0\0")
    forged.header |= {"states": 5, "transitions": 5}
    reason = reason_for(file_bytes(forged.header, frames), DIAMOND.native())
    assert reason == "the tree ends after 4 states, the header claims 5"
    frames[0] = dataclasses.replace(frames[0], states=4, bits=b"\x07", references=2, counts=b"\0\0\1\0")
    forged.header |= {"states": 4, "references": 2}
    reason = reason_for(file_bytes(forged.header, frames), DIAMOND.native())
    assert reason == "section ids of frame 0 would have 1 bytes, allowed are 2 to 10"
    frames[0].ids += b"\0"
    reason = reason_for(file_bytes(forged.header, frames), DIAMOND.native())
    assert reason == "the states of frame 0 have fewer successors than the frame has entries"


def test_a_walk_that_ends_before_its_tree_is_rejected():
    # The sums over the index exclude this already; the walk does not rely on them.
    container = read_container(certify(DIAMOND.native(), frames=3).to_bytes())
    for frames in range(3):
        cut = dataclasses.replace(container, frames=container.frames[:frames])
        with pytest.raises(checker.Rejected, match="leaves some of its tree unvisited"):
            check_script(cut, DIAMOND.native())


def test_a_path_longer_than_the_header_claims_is_not_walked_to_its_end():
    forged = certify(graph_of((1,), (2,), (3,), ()).native())
    forged.header["depth"] = 1
    reason = reason_for(forged.to_bytes(), graph_of((1,), (2,), (3,), ()).native())
    assert reason == "the path to state 2 is longer than the depth that the header claims"


def test_frames_in_another_order_are_rejected():
    model = SMALL[4].native()
    honest = certify(model, frames=3)
    frames = honest.raw_frames()
    for order in [(0, 2, 1), (1, 0, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)]:
        assert "does not start where" in reason_for(
            file_bytes(honest.header, [frames[at] for at in order]), model
        )


def test_a_forged_start_section_is_rejected():
    model = SMALL[4].native()
    honest = certify(model, frames=3)
    for at, frame in enumerate(honest.raw_frames()):
        candidates = {b"\0", b"\1\0\0", frame.start + b"\0", frame.start[:-1], b"\xff" * 40}
        candidates |= {
            frame.start[:byte] + bytes([frame.start[byte] ^ 1]) + frame.start[byte + 1 :]
            for byte in range(len(frame.start))
        }
        for start in candidates - {frame.start, b""}:
            frames = honest.raw_frames()
            frames[at].start = start
            reason = reason_for(file_bytes(honest.header, frames), model)
            assert reason.startswith(f"frame {at} does not start where the walk stands")


def test_wrong_subgraphs_are_rejected():
    model = SMALL[3].native()
    honest = certify(model, frames=2, subgraphs=True)
    for at, frame in enumerate(honest.raw_frames()):
        for byte in range(len(frame.subgraphs)):
            frames = honest.raw_frames()
            changed = bytearray(frame.subgraphs)
            changed[byte] += 1
            frames[at].subgraphs = bytes(changed)
            assert "the subgraphs give" in reason_for(file_bytes(honest.header, frames), model)


# --- Properties -----------------------------------------------------------------------------------------


def test_a_step_that_violates_a_property_is_rejected():
    graph = dataclasses.replace(DIAMOND, edges=(((1, 0), (2, 0)), ((3, 7),), ((3, 0),), ()))
    reason = reason_for(certify(graph.native()).to_bytes(), graph.native())
    assert reason == "a property is violated: violation 7 (the step at position 0 of state 1)"


def test_a_step_that_leaves_no_state_is_rejected():
    class Model(PlainModel):
        def successors(self, state):
            return [(None, 0)] if state[0] == 102 else super().successors(state)

    reason = reason_for(certify(DIAMOND.native()).to_bytes(), Model(DIAMOND))
    assert reason == "a property is violated: the step at position 0 of state 3 leads to no state"


def test_a_state_that_violates_a_property_is_rejected():
    graph = dataclasses.replace(DIAMOND, state_violations=(0, 0, 0, 5))
    reason = reason_for(certify(graph.native()).to_bytes(), graph.native())
    assert reason == "a property is violated: violation 5 (state 2)"


def test_a_pair_of_states_that_violates_a_property_is_rejected():
    class Model(PlainModel):
        def check_step(self, before, after):
            return 9 if (before[0], after[0]) == (102, 103) else 0

    reason = reason_for(certify(Model(DIAMOND)).to_bytes(), Model(DIAMOND))
    assert reason == "a property is violated: violation 9 (the step at position 0 of state 3)"


def test_a_violation_before_the_first_step_is_rejected():
    class Model(PlainModel):
        def initial_state(self):
            return super().initial_state()[0], 3

    reason = reason_for(certify(Model(DIAMOND)).to_bytes(), Model(DIAMOND))
    assert reason == "a property is violated: violation 3 (setting up the initial state)"


def test_a_deadlock_is_rejected_when_the_header_claims_that_there_is_none():
    graph = dataclasses.replace(DIAMOND, valid_ends=(False,) * 4)
    certificate = certify(graph.native())
    assert is_accepted(certificate.to_bytes(), graph.native())
    certificate.header["properties"]["deadlock"] = True
    assert is_accepted(certificate.to_bytes(), DIAMOND.native())
    reason = reason_for(certificate.to_bytes(), graph.native())
    assert reason == "a property is violated: state 2 has no successors and is no valid end"


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**9), st.sampled_from(TREES))
def test_graphs_are_accepted_exactly_when_no_reachable_state_or_step_is_wrong(seed, tree):
    graph = random_graph(seed)
    model = graph.native()
    certificate = certify(model, tree=tree)
    certificate.header["properties"]["deadlock"] = True
    wrong = any(
        model.check_state(state)
        or any(code or target is None for target, code in model.successors(state))
        or (not model.successors(state) and not model.is_valid_end(state))
        for state in certificate.states
    )
    assert is_accepted(certificate.to_bytes(), model) != wrong


# --- Damaged files --------------------------------------------------------------------------------------


def test_a_file_that_is_cut_short_anywhere_is_rejected():
    data = certify(SMALL[3].native(), frames=2).to_bytes()
    for length in range(len(data)):
        assert not is_accepted(data[:length], SMALL[3].native())
        if length > 48:
            assert not is_accepted(forge.with_right_digest(data[:length]), SMALL[3].native())


def test_a_file_with_more_bytes_is_rejected():
    data = certify(SMALL[3].native()).to_bytes()
    for more in (b"\0", b"ASSAYEND", data):
        assert not is_accepted(data + more, SMALL[3].native())
        assert not is_accepted(more + data, SMALL[3].native())


def test_a_byte_that_belongs_to_nothing_is_rejected_wherever_it_stands():
    data = certify(SMALL[3].native(), frames=2).to_bytes()
    for at in range(len(data) - 48):
        assert not is_accepted(forge.with_right_digest(data[:at] + b"\0" + data[at:]), SMALL[3].native())


def test_every_flipped_byte_is_rejected():
    data = certify(SMALL[3].native(), frames=2, subgraphs=True).to_bytes()
    for at in range(len(data)):
        for mask in (0x01, 0x80, 0xFF):
            damaged = data[:at] + bytes([data[at] ^ mask]) + data[at + 1 :]
            assert not is_accepted(damaged, SMALL[3].native())


def test_a_flipped_byte_under_a_right_digest_changes_nothing_but_words_for_people():
    model = SMALL[3].native()
    data = certify(model, frames=2, subgraphs=True).to_bytes()
    honest = checker.check_bytes(data, model)
    header_end = 16 + int.from_bytes(data[12:16], "little")
    for at in range(len(data) - 32):
        for bit in range(8):
            damaged = bytearray(data)
            damaged[at] ^= 1 << bit
            try:
                accepted = checker.check_bytes(forge.with_right_digest(bytes(damaged)), model)
            except checker.Rejected:
                continue
            words = {"program": "", "language": "", "sources": ()}
            assert at < header_end
            assert dataclasses.replace(accepted.header, **words) == dataclasses.replace(
                honest.header, **words
            )


def test_flipped_bits_of_a_section_under_right_checksums_are_rejected_or_say_the_same():
    model = SMALL[3].native()
    honest = certify(model, frames=2, subgraphs=True)
    for at, frame in enumerate(honest.raw_frames()):
        for name, section in zip(forge.SECTIONS, frame.section_bytes(), strict=True):
            for bit in range(8 * len(section)):
                damaged = bytearray(section)
                damaged[bit // 8] ^= 1 << bit % 8
                frames = honest.raw_frames()
                frames[at].compressed[name] = bytes(damaged)
                if is_accepted(file_bytes(honest.header, frames), model):
                    content = zstandard.ZstdDecompressor().decompress(bytes(damaged))
                    assert content == getattr(frame, name)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400), st.booleans())
def test_any_bytes_are_rejected_with_a_sentence(data, as_certificate):
    if as_certificate:
        data = forge.with_right_digest(forge.MAGIC + b"\1\0\0\0" + data + forge.END_MAGIC + bytes(32))
    assert not is_accepted(data, DIAMOND.native())


def damaged(name: str, content: bytes = b"", *, compressed: bytes | None = None) -> bytes:
    """The diamond's certificate with another content, or other bytes, for one section."""
    certificate = certify(DIAMOND.native())
    frames = certificate.raw_frames()
    if compressed is None:
        setattr(frames[0], name, content)
    else:
        frames[0].compressed[name] = compressed
    return file_bytes(certificate.header, frames)


def test_sections_that_are_not_exactly_their_content_are_rejected():
    honest = certify(DIAMOND.native()).raw_frames()[0]
    section = forge.compress(honest.counts)
    without_size = zstandard.ZstdCompressor(write_content_size=False).compress(honest.counts)
    for data, reason in [
        (damaged("bits", b"\x17"), "section bits of frame 0 has bits that stand for no entry"),
        (damaged("bits", b"\x03"), "section bits of frame 0 does not mark 1 references"),
        (damaged("bits", b"\x07\x00"), "section bits of frame 0 would have 2 bytes, allowed are 1 to 1"),
        (damaged("ids", b""), "section ids of frame 0 would have 0 bytes, allowed are 1 to 5"),
        (damaged("ids", b"\x83\x00"), "section ids of frame 0 has a number with a superfluous byte"),
        (damaged("ids", b"\xff" * 5), "section ids of frame 0 has a number of more than 5 bytes"),
        (damaged("ids", b"\x83"), "section ids of frame 0 ends too early"),
        (damaged("ids", b"\x03\x00"), "section ids of frame 0 has 1 bytes too many"),
        (
            damaged("ids", b"\x08"),
            "the step at position 0 of state 3 refers to state 8, which does not exist",
        ),
        (
            damaged("ids", b"\x09"),
            "the step at position 0 of state 3 refers to state -1, which does not exist",
        ),
        (damaged("counts", b"\0\0\1\0\0"), "section counts of frame 0 has 1 bytes too many"),
        (damaged("counts", b"\0\0\1"), "section counts of frame 0 would have 3 bytes, allowed are 4 to 20"),
        (damaged("subgraphs", b"\0"), "section subgraphs of frame 0 would have 1 bytes, allowed are 0 to 0"),
        (damaged("counts", compressed=section + b"\0"), "section counts of frame 0 cannot be decompressed"),
        (damaged("counts", compressed=section + section), "section counts of frame 0 cannot be decompressed"),
        (damaged("counts", compressed=section[:-1]), "section counts of frame 0 cannot be decompressed"),
        (
            damaged("counts", compressed=without_size),
            "section counts of frame 0 does not state the size of its content",
        ),
        (
            damaged("counts", compressed=b"\0" * 9),
            "section counts of frame 0 is not compressed with Zstandard",
        ),
        (
            damaged("subgraphs", compressed=zstandard.compress(b"")),
            "section subgraphs of frame 0 does not state the size of its content",
        ),
    ]:
        assert reason_for(data, DIAMOND.native()) == reason


def test_a_decompression_bomb_is_refused_before_memory_is_taken():
    size = 1 << 28
    bomb = zstandard.ZstdCompressor(level=1).compress(bytes(size))
    files = [damaged(name, compressed=bomb) for name in forge.SECTIONS]
    certificate = certify(DIAMOND.native())
    frames = certificate.raw_frames()
    frames[0].start_length = size
    frames[0].compressed["start"] = bomb
    files.append(file_bytes(certificate.header, frames))
    assert size == LARGEST_START
    tracemalloc.start()
    try:
        for data in files:
            assert not is_accepted(data, DIAMOND.native())
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"states": 2**22 + 1}, "frame 0 has 4194305 states and 4 entries, which is more than allowed"),
        ({"entries": 2**23 + 1}, "frame 0 has 4 states and 8388609 entries, which is more than allowed"),
        ({"references": 5}, "frame 0 has 5 references among 4 entries"),
        ({"start_length": 0}, "frame 0 claims a start section of 0 bytes"),
        ({"start_length": 2**28 + 1}, "frame 0 claims a start section of 268435457 bytes"),
        ({"checksum": 0}, "frame 0 does not have the checksum that the index gives"),
        ({"states": 5, "counts": bytes(5)}, "the frames have 5 states, the header claims 4"),
        ({"entries": 5}, "the frames have 5 transitions, the header claims 4"),
        ({"references": 0, "ids": b""}, "the frames have 0 references, the header claims 1"),
    ],
)
def test_a_record_of_the_index_that_cannot_be_is_rejected(change, reason):
    certificate = certify(DIAMOND.native())
    frame = dataclasses.replace(certificate.raw_frames()[0], **change)
    assert reason_for(file_bytes(certificate.header, [frame]), DIAMOND.native()) == reason


def test_sections_that_do_not_fill_the_file_between_header_and_index_are_rejected():
    certificate = certify(DIAMOND.native())
    data = certificate.to_bytes()
    index = int.from_bytes(data[-48:-40], "little")
    gap = data[:index] + b"\0" + data[index:-48] + (index + 1).to_bytes(8, "little") + data[-40:]
    reason = reason_for(forge.with_right_digest(gap), DIAMOND.native())
    assert reason == "1 bytes between the header and the frames belong to nothing"
    longer = bytearray(data)
    longer[index + 12] += 1
    reason = reason_for(forge.with_right_digest(bytes(longer)), DIAMOND.native())
    assert reason == "the frames have 1 bytes more than there are before the index"


def test_more_frames_than_allowed_are_rejected():
    certificate = certify(DIAMOND.native())
    certificate.header["frames"] = MOST_FRAMES + 1
    reason = reason_for(certificate.to_bytes(), DIAMOND.native())
    assert reason == "'frames' of the header is not a number from 1 to 65536"


def test_a_header_in_any_form_but_its_own_is_rejected():
    certificate = certify(DIAMOND.native())
    honest = forge.header_bytes(certificate.header)
    reversed_keys = dict(sorted(json.loads(honest).items(), reverse=True))
    forms = [
        b"",
        b"{}",
        b"[]",
        b"\xff",
        honest + b" ",
        honest[:-1],
        json.dumps(json.loads(honest), sort_keys=True).encode(),
        json.dumps(reversed_keys, separators=(",", ":")).encode(),
        honest.replace(b'"depth":2', b'"depth":2,"depth":2'),
        honest.replace(b'"depth":2', b'"depth":2.0'),
        honest.replace(b'"depth":2', b'"depth":NaN'),
        honest.replace(b'"depth":2', b'"depth":' + b"9" * 5000),
        honest.replace(b'"depth":2', b'"depth":-2'),
        honest.replace(b'"depth":2', b'"depth":"2"'),
        honest.replace(b'"depth":2', b'"depht":2'),
        honest.replace(b'"frames":1', b'"frames":true'),
        honest.replace(b'"deadlock":false', b'"deadlock":0'),
        honest.replace(b'"assertions":true', b'"assertions":false'),
        honest.replace(b'"assertions":true', b'"assertions":1'),
        honest.replace(b'"invariants":[]', b'"invariants":[1]'),
        honest.replace(b'"invariants":[]', b'"invariants":"x"'),
        honest.replace(b'"semantics":{}', b'"semantics":[]'),
        honest.replace(b'"semantics":{}', b'"semantics":' + b"[" * 100_000 + b"]" * 100_000),
        honest.replace(b'"name":"graph.pml"', b'"name":"../graph.pml"'),
        honest.replace(b'"language":"promela"', b'"language":1'),
        honest.replace(b'"tool":"graph_certificates"', b'"tool":null'),
        honest.replace(b'"sha256":"e3b0', b'"sha256":"E3B0'),
        honest.replace(b'"sha256":"e3b0', b'"sha256":"e3b'),
        forge.header_bytes(certificate.header | {"sources": []}),
        forge.header_bytes(certificate.header | {"sources": {}}),
        honest.replace(b'"coding":"zstd"', b'"coding":"none"'),
        honest.replace(b"breadth-first", b"random"),
        honest.replace(b"In every", b"\\ud800"),
        honest.replace(b"In every", b"\\u00c9very"),
        *(
            forge.header_bytes(certificate.header | {"dictionaries": lengths})
            for lengths in ([0] * 5, [1] * 3, [1] * 6, [1, 1, 1, 1, -1], [1, 1, 1, 1, True], {}, None, 5)
        ),
        honest.replace(b"In every", b"E" * (1 << 20)),
        honest.replace(b"In every", "In évery".encode()),
    ]
    frames = certificate.raw_frames()
    assert is_accepted(file_bytes(honest, frames), DIAMOND.native())
    unescaped = certificate.header | {"producer": {"tool": "é", "version": "1"}}
    assert is_accepted(file_bytes(forge.header_bytes(unescaped), frames), DIAMOND.native())
    for form in forms:
        assert form != honest
        assert not is_accepted(file_bytes(form, frames), DIAMOND.native())


WHEEL = graph_of(*(((node + 1) % 60, 7 * node % 60) for node in range(60)))
# Content as sections have it, and bytes that a trained dictionary would begin with.
DICTIONARIES = (b"\x37\xa4\x30\xec" * 3, bytes(range(60)), b"\x02\x01\x00" * 10, b"", b"\x01\x00" * 20)


@pytest.mark.parametrize("subgraphs", [False, True])
def test_sections_may_refer_to_dictionaries(subgraphs):
    model = WHEEL.native()
    plain = certify(model, frames=7, subgraphs=subgraphs)
    shared = certify(model, frames=7, subgraphs=subgraphs, dictionaries=DICTIONARIES)
    assert checker.check_bytes(shared.to_bytes(), model).states == 60
    assert shared.to_bytes() != plain.to_bytes()


def test_dictionaries_that_are_not_what_the_header_says_are_rejected():
    model = WHEEL.native()
    honest = certify(model, frames=7, dictionaries=DICTIONARIES)
    frames, joint = honest.raw_frames(), b"".join(DICTIONARIES)

    def reason(**changes):
        return reason_for(file_bytes(honest.header, frames, dictionaries=DICTIONARIES, **changes), model)

    name = "the part with the dictionaries"
    stored = forge.compress(joint)
    assert is_accepted(honest.to_bytes(), model)
    assert reason(stored_dictionaries=b"") == f"{name} would have 0 bytes, the header claims {len(joint)}"
    assert reason(stored_dictionaries=joint) == f"{name} is not compressed with Zstandard"
    assert reason(stored_dictionaries=stored[:-1]) == f"{name} cannot be decompressed"
    assert reason(stored_dictionaries=stored + b"\0") == f"{name} cannot be decompressed"
    assert (
        reason(stored_dictionaries=forge.compress(joint + b"\0"))
        == f"{name} would have {len(joint) + 1} bytes, the header claims {len(joint)}"
    )
    padding = bytes(len(joint) + len(joint) // 128 + 1025)
    assert (
        reason(stored_dictionaries=padding)
        == f"{name} has {len(padding)} bytes for a content of {len(joint)}"
    )
    honest.header["dictionaries"] = []
    assert reason() == f"{len(stored)} bytes between the header and the frames belong to nothing"
    honest.header["dictionaries"] = [len(joint), 0, 0, 0, (1 << 20) + 1]
    assert reason() == "'dictionaries' of the header has other lengths than 0 to 1048576"


def test_another_dictionary_is_noticed():
    model = WHEEL.native()
    (frame,) = certify(model).raw_frames()
    dictionaries = (b"", frame.bits, b"", b"", b"")
    shared = certify(model, dictionaries=dictionaries)
    assert is_accepted(shared.to_bytes(), model)
    other = forge.compress(bytes(byte ^ 255 for byte in frame.bits))
    forged = file_bytes(
        shared.header, shared.raw_frames(), dictionaries=dictionaries, stored_dictionaries=other
    )
    assert not is_accepted(forged, model)


def test_other_lengths_magics_and_versions_are_rejected():
    certificate = certify(DIAMOND.native())
    frames = certificate.raw_frames()
    end = len(certificate.to_bytes())
    for change in [
        {"magic": b"\x89ASSAY\n\n"},
        {"version": 0},
        {"version": 2},
        {"end_magic": b"ASSAYENd"},
        {"digest": bytes(32)},
        {"index": b""},
        {"index": bytes(40)},
        {"index": b"\xff" * 40},
        {"index": bytes(80)},
        *[{"header_length": length} for length in (0, 1, end, 2**32 - 1)],
        *[{"index_offset": offset} for offset in (0, 16, end - 48, end, 2**63, 2**64 - 1)],
    ]:
        assert not is_accepted(file_bytes(certificate.header, frames, **change), DIAMOND.native())


@pytest.mark.parametrize(
    "change", [{"header_length": 2000}, {"index_offset": 15}, {"index_offset": 2**64 - 1}]
)
def test_parts_that_lie_outside_the_file_are_named(change):
    certificate = certify(DIAMOND.native())
    data = file_bytes(certificate.header, certificate.raw_frames(), **change)
    assert reason_for(data, DIAMOND.native()) == "the header or the index lies outside the file"


# --- Programs -------------------------------------------------------------------------------------------


REDUCTIONS = frozenset({"dead-variables", "merging", "partial-order"})


def certificate_of(path: Path, options: LanguageOptions, **how) -> Certificate:
    program = languages.load(path, options)
    return certify(CompiledModel(program.opening.file), **forge.program_header(program, options), **how)


@pytest.mark.parametrize(
    ("model", "options", "states", "transitions"),
    [
        (EXAMPLES / "peterson.pml", LanguageOptions(invariants=("inside <= 1",)), 38, 64),
        (EXAMPLES / "alternating_bit.pml", LanguageOptions(), 2578, 8567),
        (MODELS / "filter_lock.pml", LanguageOptions(defines=("N=2",)), 538, 1076),
        (MODELS / "filter_lock.pml", LanguageOptions(defines=("N=2",), reductions=REDUCTIONS), 100, 150),
        (MODELS / "readers_writers.pml", LanguageOptions(defines=("READERS=2", "WRITERS=1")), 1725, 3192),
    ],
)
@pytest.mark.parametrize("tree", TREES)
def test_certificates_of_promela_programs_are_accepted(tmp_path, model, options, states, transitions, tree):
    certificate = certificate_of(model, options, tree=tree, frames=4, subgraphs=states < 1000)
    file = tmp_path / "model.assay"
    file.write_bytes(certificate.to_bytes())
    accepted = checker.check(model, file)
    assert (accepted.states, accepted.transitions) == (states, transitions)


@pytest.fixture
def peterson(tmp_path):
    """A copy of a program, its certificate and the two files."""
    program = tmp_path / "peterson.pml"
    program.write_text((EXAMPLES / "peterson.pml").read_text())
    certificate = certificate_of(program, LanguageOptions(invariants=("inside <= 1",), reductions=REDUCTIONS))
    file = tmp_path / "peterson.assay"
    file.write_bytes(certificate.to_bytes())
    return program, file, certificate


def said(capsys, *arguments: Path | str) -> tuple[int, str]:
    code = main([str(argument) for argument in arguments])
    output = capsys.readouterr().out
    assert output.count("\n") == 1
    return code, output.removesuffix("\n")


def test_the_command_says_in_one_sentence_what_was_proved(peterson):
    program, file, _ = peterson
    command = [sys.executable, "-m", "assay.checker", str(program), str(file)]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    assert outcome.stderr == ""
    assert outcome.stdout == (
        f"accepted: every state that {program} can reach under "
        '{"defines": [], "language": "Promela as SPIN 6.5 understands it", '
        '"reductions": ["dead-variables", "merging", "partial-order"], "safety_only": false} '
        'satisfies every assertion, absence of deadlock, invariant "inside <= 1"; '
        "visited 38 states and 64 transitions, 27 of them references, to depth 9; "
        "a wrong certificate passes with probability at most 2^-119\n"
    )
    assert outcome.returncode == 0


def test_another_program_text_is_rejected(peterson, capsys):
    program, file, _ = peterson
    program.write_text(program.read_text() + "\n")
    assert said(capsys, program, file) == (
        4,
        f"rejected: {program} is another program: its SHA-256 differs from that of 'peterson.pml'",
    )


def test_another_included_file_is_rejected(tmp_path, capsys):
    (tmp_path / "limit.h").write_text("#define LIMIT 3\n")
    program = tmp_path / "count.pml"
    program.write_text(
        '#include "limit.h"\nbyte n;\nactive proctype P() { do :: n < LIMIT -> n++ :: else -> break od }\n'
    )
    file = tmp_path / "count.assay"
    file.write_bytes(certificate_of(program, LanguageOptions()).to_bytes())
    assert checker.check(program, file).states > 3
    (tmp_path / "limit.h").write_text("#define LIMIT 4\n")
    assert said(capsys, program, file) == (
        4,
        f"rejected: {program} is another program: a file that it includes differs",
    )


@pytest.mark.parametrize(
    "semantics",
    [
        {"reductions": ["partial-order", "merging", "dead-variables"]},
        {"reductions": ["symmetry"]},
        {"reductions": None},
        {"defines": ["-include /etc/passwd"]},
        {"defines": [["N=2"]]},
        {"safety_only": 0},
        {"language": "Promela as nobody understands it"},
        {"more": 1},
    ],
)
def test_semantics_that_are_not_those_of_the_front_end_are_rejected(peterson, semantics):
    program, file, certificate = peterson
    certificate.header["semantics"] |= semantics
    file.write_bytes(certificate.to_bytes())
    with pytest.raises(checker.Rejected):
        checker.check(program, file)


def test_a_certificate_for_another_language_is_rejected(peterson, capsys):
    program, file, certificate = peterson
    certificate.header["language"] = "c"
    file.write_bytes(certificate.to_bytes())
    assert said(capsys, program, file) == (
        4,
        "rejected: the program is in promela, the certificate speaks of 'c'",
    )


def test_a_certificate_over_one_graph_is_none_over_another(tmp_path):
    program = MODELS / "filter_lock.pml"
    file = tmp_path / "filter_lock.assay"
    honest = certificate_of(program, LanguageOptions(defines=("N=2",)))
    for semantics in ({"reductions": sorted(REDUCTIONS)}, {"defines": ["N=3"]}, {"defines": []}):
        forged = copy.deepcopy(honest)
        forged.header["semantics"] |= semantics
        file.write_bytes(forged.to_bytes())
        with pytest.raises(checker.Rejected):
            checker.check(program, file)


def test_semantics_that_defuse_the_program_are_shown_to_whoever_reads_the_sentence(peterson, capsys):
    program, file, certificate = peterson
    certificate.header["semantics"]["defines"] = ["UNUSED(x)=skip"]
    file.write_bytes(certificate.to_bytes())
    code, sentence = said(capsys, program, file)
    assert code == 0
    assert 'under {"defines": ["UNUSED(x)=skip"], ' in sentence


def test_an_invariant_that_does_not_hold_is_rejected_in_its_own_words(peterson, capsys):
    program, file, certificate = peterson
    certificate.header["properties"]["invariants"] = ["inside == 0"]
    file.write_bytes(certificate.to_bytes())
    code, sentence = said(capsys, program, file)
    assert code == 4
    assert sentence.startswith("rejected: a property is violated: ")
    assert "inside == 0" in sentence


@pytest.mark.parametrize(
    "invariant", ["inside <=", "nothing == 0", "\x1b[2J\ninside", "(" * 4000, "é", "1; }"]
)
def test_an_invariant_that_is_none_is_rejected(peterson, capsys, invariant):
    program, file, certificate = peterson
    certificate.header["properties"]["invariants"] = [invariant]
    file.write_bytes(certificate.to_bytes())
    code, sentence = said(capsys, program, file)
    assert code == 4
    assert sentence.startswith("rejected: the program cannot be read with the options of the certificate: ")
    assert sentence.isprintable()


def test_a_program_whose_claims_nobody_checked_is_rejected(tmp_path, capsys):
    program = tmp_path / "claim.pml"
    program.write_text("byte n;\nactive proctype P() { n = 1 }\nltl { <> (n == 1) }\n")
    file = tmp_path / "claim.assay"
    file.write_bytes(certificate_of(program, LanguageOptions()).to_bytes())
    code, sentence = said(capsys, program, file)
    assert code == 4
    assert sentence.startswith("rejected: the program claims something of runs that never end")
    file.write_bytes(certificate_of(program, LanguageOptions(safety_only=True)).to_bytes())
    code, sentence = said(capsys, program, file)
    assert code == 0
    assert "(not looked at: the ltl claim)" in sentence


def test_a_program_that_violates_its_assertion_is_rejected_with_the_place(tmp_path, capsys):
    program = EXAMPLES / "broken_mutex.pml"
    file = tmp_path / "broken.assay"
    file.write_bytes(certificate_of(program, LanguageOptions()).to_bytes())
    code, sentence = said(capsys, program, file)
    assert code == 4
    assert sentence.startswith(f"rejected: a property is violated: {program}:")


def test_what_cannot_be_judged_is_unusable_input(peterson, tmp_path, capsys):
    program, file, certificate = peterson
    missing = tmp_path / "missing"
    assert said(capsys, program) == (
        2,
        "usage: python -m assay.checker PROGRAM CERTIFICATE.assay [--python VENV]",
    )
    assert said(capsys, missing, file) == (
        2,
        f"unusable: {missing}: expected a program, got a path that is no file",
    )
    assert said(capsys, program, tmp_path) == (
        2,
        f"unusable: {tmp_path}: expected a certificate, got a path that is no file",
    )
    certificate.header["language"] = "python-class"
    file.write_bytes(certificate.to_bytes())
    assert said(capsys, program, file) == (
        2,
        f"unusable: {program}: the certificate speaks of a Python class; name it as model.py:ClassName",
    )
