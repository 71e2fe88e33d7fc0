"""Every way to forge what a certificate says of runs that never end, before both checkers.

Each attack keeps lengths, sums, checksums, digest and claim right, unless these are the attack.
"""

from __future__ import annotations

import copy

import pytest

import assay
from assay import checker
from assay.transition_system.language_options import LanguageOptions
from tests.certificates.graph_certificates import TREE, Tree, file_bytes, varint
from tests.certificates.temporal_certificates import Forgery, least_ranks, sealed

# <> done holds in fair runs only, and [] <> zero in all; their automata have cycles that miss their sets.
MODEL = """
byte x; bool done;
active proctype P() { do :: x < 3 -> x++ :: x >= 3 -> x = 0 od }
active proctype Q() { done = true }
ltl comes { <> done }
ltl zero { [] <> (x == 0) }
"""
ENDS = """
byte x;
active proctype P() { do :: x < 3 -> x++ :: else -> break od }
ltl arrives { <> (x == 3) }
"""
NEVER_THERE = ENDS.replace("<> (x == 3)", "<> (x == 4)")
FAIR = LanguageOptions(fair=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("temporal-attacks")


def program(folder, text, name="model.pml"):
    path = folder / name
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def honest(folder):
    return Forgery.of(program(folder, MODEL), FAIR, frames=3)


def reasons(path, data, **options):
    """Of the native certifier and of the independent checker."""
    certificate = path.with_suffix(".assay")
    certificate.write_bytes(data)
    result = assay.certify(path, certificate, fair=True, **options)
    assert result.verdict is assay.Verdict.REJECTED, result.verdict
    assert not result.complete
    (native,) = result.reasons
    with pytest.raises(checker.Rejected) as rejection:
        checker.check(path, certificate)
    return native, str(rejection.value)


def model(folder):
    return folder / "model.pml"


def test_the_honest_certificate_is_accepted_by_both(folder, honest):
    certificate = folder / "honest.assay"
    certificate.write_bytes(honest.to_bytes())
    for options in ({}, {"tasks": 3, "workers": 2}, {"mode": "explained"}):
        result = assay.certify(model(folder), certificate, fair=True, **options)
        assert (result.verdict, result.reasons) == (assay.Verdict.VERIFIED, ())
        assert [one.name for one in result.temporal] == ["comes", "zero"]
    assert len(checker.check(model(folder), certificate).parts) == 2


def first_reference(part):
    return next(
        (state, position)
        for state, row in enumerate(part.script.entries)
        for position, entry in enumerate(row)
        if entry != TREE
    )


def test_a_reference_with_a_wrong_rank_is_named(folder, honest):
    forged = copy.deepcopy(honest)
    part = forged.parts[1]
    part.ranks[0] += part.sets  # room to fall: every rank below it may be said
    state, position = first_reference(part)
    beside, _ = part.numbers()
    part.beside[state, position] = beside[state][position] + 1
    native, independent = reasons(model(folder), forged.to_bytes())
    assert native.startswith(
        "zero: [] <> (x == 0): a state is said to have another rank than it has: in state "
    )
    assert "which was visited with rank" in native
    assert "a reference does not lead to a state that is visited with that rank" in independent


@pytest.mark.parametrize("excess", [1 << 31, (1 << 32) - 1, (1 << 35) - 1])
def test_an_excess_that_would_wrap_is_refused(folder, honest, excess):
    forged = copy.deepcopy(honest)
    forged.parts[0].beside[0, 0] = excess
    native, independent = reasons(model(folder), forged.to_bytes())
    assert "leads to no rank" in native
    assert "which is no rank" in independent


def test_a_first_rank_that_is_none_is_refused(folder, honest):
    for rank in (-1, 1 << 31, 1 << 64, True, "0"):
        header = honest.header()
        header["temporal"]["parts"][0]["rank"] = rank
        native, independent = reasons(model(folder), sealed(header, honest.frames()))
        assert "under 'rank'" in native
        assert "'rank' of the header" in independent


def test_another_first_rank_is_refused(folder, honest):
    """Lower: some excess is too large; higher: the frames' open paths have other ranks than the walk."""
    for change, native_words in ((1, "does not start where"), (-1, "")):
        header = honest.header()
        header["temporal"]["parts"][1]["rank"] += change
        if header["temporal"]["parts"][1]["rank"] < 0:
            continue
        native, _ = reasons(model(folder), sealed(header, honest.frames()))
        assert native_words in native


def test_ranks_of_an_open_path_that_differ_from_where_the_frame_before_ended_are_refused(folder, honest):
    frames = honest.frames()
    start = bytearray(frames[1][1].start)
    assert start[0] > 0
    start[2] += 1  # the rank of the first state on the path
    frames[1][1].start = bytes(start)
    for tasks in (1, 3):
        native, independent = reasons(model(folder), sealed(honest.header(), frames), tasks=tasks)
        assert "does not start where the frame before it ends" in native
        assert "does not start where the walk stands" in independent


def test_a_rank_beyond_all_ranks_on_an_open_path_is_refused(folder, honest):
    frames = honest.frames()
    start = frames[1][1].start
    frames[1][1].start = start[:2] + varint(1 << 31) + start[3:]
    native, _ = reasons(model(folder), sealed(honest.header(), frames), tasks=3)
    assert "a rank that no state can have" in native


def test_a_fair_claim_is_no_claim_of_all_runs(folder, honest):
    """The same parts under another claim: the certifier's own acceptance sets are others."""
    header = honest.header()
    header["temporal"]["fair"] = False
    native, independent = reasons(model(folder), sealed(header, honest.frames()))
    assert native.startswith("comes: <> done: ")
    assert independent.startswith("comes: ")


def test_a_claim_of_all_runs_is_not_taken_for_one_of_fair_runs(folder):
    """Ranks under one set say nothing under three: residues mean other sets."""
    only = LanguageOptions(ltl=("zero",))
    forged = Forgery.of(model(folder), only)
    header = forged.header()
    header["temporal"]["fair"] = True
    native, independent = reasons(model(folder), sealed(header, forged.frames()), ltl=["zero"])
    assert native.startswith("zero: ")
    assert independent.startswith("zero: ")


def test_a_fair_claim_has_to_be_wanted(folder, honest):
    certificate = folder / "honest.assay"
    certificate.write_bytes(honest.to_bytes())
    result = assay.certify(model(folder), certificate)
    assert result.verdict is assay.Verdict.REJECTED
    assert "say --fair" in result.reasons[0]


def test_ranks_under_fewer_sets_are_refused(folder, honest):
    """As if fairness counted for nobody: `<> done` then has an accepting cycle, and no ranks."""
    forged = copy.deepcopy(honest)
    part = forged.parts[0]
    part.sets = 1
    part.ranks = [0] * len(part.ranks)
    reasons(model(folder), forged.to_bytes())


def test_another_formula_is_refused(folder, honest):
    header = honest.header()
    header["temporal"]["parts"][0]["text"] = "<> (done || x == 3)"
    native, independent = reasons(model(folder), sealed(header, honest.frames()))
    assert "the parts of the certificate are not about what the program" in native
    assert "the temporal parts are not about what the program claims" in independent


def test_the_script_of_another_formula_is_refused(folder, honest):
    """A formula that holds, certified under the name of one that does not."""
    path = program(folder, NEVER_THERE, "never_there.pml")
    other = Forgery.of(program(folder, ENDS, "ends.pml"), LanguageOptions())
    forged = Forgery.of(path, LanguageOptions())
    forged.parts[0].script, forged.parts[0].steps = other.parts[0].script, other.parts[0].steps
    forged.parts[0].ranks = other.parts[0].ranks
    native, independent = reasons(path, forged.to_bytes())
    assert native.startswith("arrives: <> (x == 4): ")
    assert independent.startswith("arrives: ")


def test_dead_ends_without_the_step_that_stays_are_refused(folder):
    """`<> (x == 4)` fails only on the run that stays at x == 3 for ever."""
    path = program(folder, NEVER_THERE, "never_there.pml")
    forged = Forgery.of(path, LanguageOptions())
    part = forged.parts[0]
    stays = [number for number, row in enumerate(part.script.entries) if number in row]
    assert stays
    for number in stays:
        kept = [at for at, entry in enumerate(part.script.entries[number]) if entry != number]
        part.script.entries[number] = [part.script.entries[number][at] for at in kept]
        part.steps[number] = [part.steps[number][at] for at in kept]
    part.script.recount()
    ranks = least_ranks(part.steps, part.targets, part.sets)
    assert ranks is not None  # without that step, all would be well
    part.ranks = ranks
    native, independent = reasons(path, forged.to_bytes())
    assert "but the frame has" in native
    assert "ends too early" in independent


def test_parts_left_out_doubled_or_exchanged_are_refused(folder, honest):
    scripts = honest.frames()
    for order in ([0], [1], [0, 1, 1], [1, 0]):
        header = honest.header()
        header["temporal"]["parts"] = [header["temporal"]["parts"][at] for at in order]
        native, independent = reasons(
            model(folder), sealed(header, [scripts[0], *(copy.deepcopy(scripts[1 + at]) for at in order)])
        )
        assert "the parts of the certificate are not about" in native
        assert "the temporal parts are not about" in independent


def test_scripts_exchanged_under_their_names_are_refused(folder, honest):
    header = honest.header()
    one, two = header["temporal"]["parts"]
    for name in ("kind", "name", "text"):
        one[name], two[name] = two[name], one[name]
    header["temporal"]["parts"] = [two, one]
    scripts = honest.frames()
    native, independent = reasons(model(folder), sealed(header, [scripts[0], scripts[2], scripts[1]]))
    assert native.startswith("comes: ")
    assert independent.startswith("comes: ")


def test_a_certificate_of_states_is_none_of_runs(folder, honest):
    header = {key: value for key, value in honest.header().items() if key != "temporal"} | {"claim": None}
    native, independent = reasons(model(folder), file_bytes(header, honest.frames()[0]))
    assert "which the certificate does not cover" in native
    assert "which the certificate does not cover" in independent


def test_a_certificate_of_runs_is_none_of_another_program(folder, honest):
    """Parts about a program that claims nothing of runs, and another text."""
    path = program(folder, MODEL.partition("ltl comes")[0], "plain.pml")
    other = Forgery.of(path, LanguageOptions())
    other.parts, other.asked = honest.parts, honest.asked
    native, independent = reasons(path, other.to_bytes())
    assert "claims of runs that never end: nothing" in native
    assert "the temporal parts are not about" in independent
    native, _ = reasons(path, honest.to_bytes())
    assert "another program text" in native


@pytest.mark.parametrize(
    ("version", "native_words"),
    [
        (1, "has version 3"),
        (2, "reads no longer: have it made again"),
        (4, "has version 3, the file says version 4"),
        (5, "reads versions 1, 3 and 4"),
    ],
)
def test_versions_are_what_they_must_be(folder, honest, version, native_words):
    native, independent = reasons(model(folder), sealed(honest.header(), honest.frames(), version=version))
    assert native_words in native
    assert "version" in independent


def test_a_state_hidden_in_a_product_is_refused(folder, honest):
    forged = copy.deepcopy(honest)
    part = forged.parts[1]
    part.script.entries.pop()
    part.steps.pop()
    part.ranks.pop()
    part.script.recount()
    reasons(model(folder), forged.to_bytes())


def test_a_reference_to_a_state_that_is_never_visited_is_named(folder, honest):
    """Counts are made to fit, and nothing else in the file speaks of the state that is left out."""
    forged = copy.deepcopy(honest)
    part = forged.parts[1]
    last = len(part.script.entries) - 1
    assert TREE not in part.script.entries[last]
    parent, position = Tree(part.script.entries).parent[last]
    part.script.entries[parent][position] = 0
    part.script.entries.pop()
    for rows in (part.steps, part.ranks):
        rows.pop()
    part.script.entries = [[0 if to == last else to for to in row] for row in part.script.entries]
    part.script.recount()
    native, independent = reasons(model(folder), forged.to_bytes())
    assert "leads to a state that the script never visits" in native
    assert "a reference does not lead to a state that is visited" in independent


def test_numbers_beside_references_of_a_part_are_refused(folder, honest):
    frames = honest.frames()
    frame = next(frame for frame in frames[1] if frame.references)
    frame.ids = bytes(frame.references)
    native, independent = reasons(model(folder), sealed(honest.header(), frames))
    assert "has other sections than the header announces" in native
    assert "section ids" in independent


def test_wrong_counts_in_a_part_are_refused(folder, honest):
    forged = copy.deepcopy(honest)
    counts = forged.parts[1].script.counts
    referred = next(number for number, count in enumerate(counts) if count)
    counts[referred] -= 1
    counts[(referred + 1) % len(counts)] += 1
    native, _ = reasons(model(folder), forged.to_bytes())
    assert "is said to be referred to" in native


def test_frames_of_a_part_in_another_order_are_refused(folder, honest):
    frames = honest.frames()
    frames[1][0], frames[1][1] = frames[1][1], frames[1][0]
    native, _ = reasons(model(folder), sealed(honest.header(), frames), tasks=3)
    assert native.startswith("comes: ")


def test_truncated_excesses_and_extra_ones_are_refused(folder, honest):
    for change in (lambda content: content[:-1], lambda content: content + b"\x00"):
        frames = honest.frames()
        frames[1][0].subgraphs = change(frames[1][0].subgraphs)
        native, independent = reasons(model(folder), sealed(honest.header(), frames))
        assert "excesses than entries" in native
        assert "excesses" in independent


def test_what_is_believed_is_not_said_to_be_checked(folder, honest):
    certificate = folder / "honest.assay"
    certificate.write_bytes(honest.to_bytes())
    result = assay.certify(model(folder), certificate, fair=True, mode="trusted", trust_unsigned=True)
    assert (result.verdict, result.complete, result.temporal) == (assay.Verdict.VERIFIED, False, ())
    assert any("of runs that never end was not looked at" in note for note in result.notes)


def test_a_formula_cannot_be_added(folder, honest):
    certificate = folder / "honest.assay"
    certificate.write_bytes(honest.to_bytes())
    result = assay.certify(model(folder), certificate, fair=True, ltl=["[] (x <= 3)"])
    assert result.verdict is assay.Verdict.REJECTED
    assert "a formula cannot be added to it: that takes a search" in result.reasons[0]
    added = assay.certify(model(folder), certificate, fair=True, invariants=["x <= 2"])
    assert added.verdict in (assay.Verdict.VIOLATED, assay.Verdict.VERIFIED)
