"""Every way to forge a certificate that we could think of, before both checkers.

Each attack keeps lengths, sums, checksums, digest and claim right, unless these are the attack. The
native certifier and the independent checker must both reject it, and say what is wrong.
"""

from __future__ import annotations

import copy
import random
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import assay
from assay import checker
from assay.checker.container import read_container
from assay.cli.main import main
from assay.evidence.certificate.container import CertificateFile
from assay.evidence.certificate.header import CertificateProblem
from assay.evidence.signature import generate_keys, sign
from assay.transition_system.language_options import LanguageOptions
from tests.certificates import attacks
from tests.certificates import graph_certificates as forge
from tests.certificates.attacks import Subject, sealed
from tests.certificates.graph_certificates import TREE, Certificate, file_bytes

GOOD = """\
byte x, y;
active proctype A() {
  x = 1;
  if
  :: y == 1 -> assert(x == 1)
  :: else -> skip
  fi;
  x = 0
}
active proctype B() { y = 1; y = 0 }
"""
# Fails in three of the 24 states: where the guard y == 1 was true.
BROKEN = GOOD.replace("assert(x == 1)", "assert(x == 0)")
# The initial state has two successors and both lead on, as far as anybody can see from the script.
STUCK = """\
chan q = [1] of { byte };
active proctype P() { byte v; if :: q!1 :: skip fi; q?v }
"""


@dataclass(frozen=True)
class Place:
    """A directory with programs, and files to be sent to somebody."""

    folder: Path

    def subject(self, text: str, name: str = "model.pml", **options) -> Subject:
        path = self.folder / name
        path.write_text(text)
        return Subject(path, LanguageOptions(**options))

    def file(self, data: bytes) -> Path:
        path = self.folder / "forged.assay"
        path.write_bytes(data)
        return path


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return Place(tmp_path_factory.mktemp("attacks"))


@pytest.fixture
def good(place):
    return place.subject(GOOD)


def native_reason(subject: Subject, certificate: Path, **options) -> str:
    result = assay.certify(subject.path, certificate, **options)
    assert result.verdict is assay.Verdict.REJECTED
    assert not result.complete
    (reason,) = result.reasons
    return reason


def checkers_reason(subject: Subject, certificate: Path) -> str:
    with pytest.raises(checker.Rejected) as rejection:
        checker.check(subject.path, certificate)
    return str(rejection.value)


def require_rejection(subject, certificate, native: str, independent: str, **options) -> None:
    assert native in native_reason(subject, certificate, **options)
    assert independent in checkers_reason(subject, certificate)


def require_acceptance(subject, certificate, states: int, **options) -> None:
    result = assay.certify(subject.path, certificate, **options)
    assert (result.verdict, result.reasons, result.states) == (assay.Verdict.VERIFIED, (), states)
    assert checker.check(subject.path, certificate).states == states


# --- The script ------------------------------------------------------------------------------------------

# The honest script of GOOD, from the first state on; states 5 to 8 are the end of a path.
ENTRIES = [[TREE, TREE], [TREE, TREE], [TREE, TREE], [TREE], [TREE], [TREE], [TREE], [TREE], [], [4, TREE]]


def test_the_honest_certificate_is_accepted_by_both(place, good):
    honest = good.honest(frames=3)
    assert honest.entries[:10] == ENTRIES
    for options in ({}, {"tasks": 3}, {"mode": "explained"}, {"mode": "trusted", "trust_unsigned": True}):
        require_acceptance(good, place.file(sealed(honest)), 24, **options)


def drop_the_last_state(forged: Certificate) -> None:
    forged.entries.pop()
    forged.recount()
    forged.header["references"] = forged.header["transitions"] - (forged.header["states"] - 1)


def replace_the_last_state(forged: Certificate) -> None:
    attacks.hide_subtree(forged, 23, 0)


def drop_a_branch(forged: Certificate) -> None:
    attacks.hide_subtree(forged, 13, 9)


def refer_to_a_wrong_state(forged: Certificate) -> None:
    forged.entries[9][0] = 5
    forged.recount()


def refer_to_a_wrong_state_and_keep_the_counts(forged: Certificate) -> None:
    forged.entries[9][0] = 5


def swap_two_references(forged: Certificate) -> None:
    attacks.swap_references(forged, (9, 0), (10, 0))


def refer_to_itself(forged: Certificate) -> None:
    forged.entries[9][0] = 9
    forged.recount()


def refer_beyond_the_end(forged: Certificate) -> None:
    forged.entries[9][0] = 24


def leave_a_successor_out(forged: Certificate) -> None:
    forged.entries[9].pop(0)
    forged.recount()


def invent_a_successor(forged: Certificate) -> None:
    forged.entries[8].append(0)
    forged.recount()


def claim_one_reference_more(forged: Certificate) -> None:
    forged.counts[4] += 1


def claim_a_reference_to_another_state(forged: Certificate) -> None:
    forged.counts[4] -= 1
    forged.counts[5] += 1


def claim_very_many_references(forged: Certificate) -> None:
    forged.counts[4] = (1 << 35) - 1


def claim_a_longer_path(forged: Certificate) -> None:
    forged.header["depth"] += 1


def claim_a_shorter_path(forged: Certificate) -> None:
    forged.header["depth"] -= 1


WRONG_REFERENCE = "a reference does not lead to the state it names, or a count of references is wrong"
NEVER = "a state that the script never visits"
END_OF_B = "in state 9, entry 0 (B[1] model.pml:10: -end-) refers to state"
SCRIPTS: list[tuple[Callable[[Certificate], None], str, str]] = [
    (
        drop_the_last_state,
        "the frames have 13 references, the header claims 14",
        "the frames have 13 references, the header claims 14",
    ),
    (
        replace_the_last_state,
        f"in state 22, entry 1 (A[0] model.pml:8: x = 0) refers to state 0 but leads to {NEVER}",
        WRONG_REFERENCE,
    ),
    (
        drop_a_branch,
        f"in state 1, entry 1 (A[0] model.pml:3: x = 1) refers to state 9 but leads to {NEVER}",
        WRONG_REFERENCE,
    ),
    (refer_to_a_wrong_state, f"{END_OF_B} 5 but leads to state 4", WRONG_REFERENCE),
    (refer_to_a_wrong_state_and_keep_the_counts, f"{END_OF_B} 5 but leads to state 4", WRONG_REFERENCE),
    (swap_two_references, f"{END_OF_B} 5 but leads to state 4", WRONG_REFERENCE),
    (refer_to_itself, f"{END_OF_B} 9 but leads to state 4", WRONG_REFERENCE),
    (
        refer_beyond_the_end,
        "entry 0 of state 9 refers to state 24, which the script does not have",
        "the step at position 0 of state 9 refers to state 24, which does not exist",
    ),
    (
        leave_a_successor_out,
        "entry 1 of state 18 refers to state 36, which the script does not have",
        "the step at position 1 of state 18 refers to state 36, which does not exist",
    ),
    (
        invent_a_successor,
        "nothing is left to visit at state 23, where the frame still has 1 state",
        "the tree ends after 23 states, the header claims 24",
    ),
    (
        claim_one_reference_more,
        "state 4 is said to be referred to 2 times; the script does so 1 times",
        "the counts add up to 15 references, the script has 14",
    ),
    (
        claim_a_reference_to_another_state,
        "state 4 is said to be referred to 0 times; the script does so 1 times",
        WRONG_REFERENCE,
    ),
    (
        claim_very_many_references,
        "state 4 is said to be referred to 34,359,738,367 times",
        "the counts add up to 34359738380 references, the script has 14",
    ),
    (
        claim_a_longer_path,
        "the longest path of the tree has 8 steps, the certificate claims 9",
        "the longest path has 8 steps, the header claims 9",
    ),
    (
        claim_a_shorter_path,
        "the longest path of the tree has 8 steps, the certificate claims 7",
        "the path to state 8 is longer than the depth that the header claims",
    ),
]


@pytest.mark.parametrize(
    ("attack", "native", "independent"), SCRIPTS, ids=[a.__name__ for a, _, _ in SCRIPTS]
)
def test_a_forged_script_is_rejected(place, good, attack, native, independent):
    forged = good.honest()
    attack(forged)
    require_rejection(good, place.file(sealed(forged)), native, independent)


@pytest.mark.parametrize("tree", ["breadth-first", "depth-first"])
@pytest.mark.parametrize("options", [{}, {"tasks": 3}, {"mode": "explained"}], ids=str)
def test_every_kind_of_walk_rejects_a_wrong_reference(place, good, tree, options):
    forged = good.honest(tree=tree, frames=3)
    number, position = attacks.references(forged)[-1]
    claimed, actual = 2, forged.entries[number][position]
    forged.entries[number][position] = claimed
    forged.recount()
    words = f"in state {number}, entry {position} ("
    reason = native_reason(good, place.file(sealed(forged)), **options)
    assert words in reason
    assert reason.endswith(f") refers to state {claimed} but leads to state {actual}")


def test_without_an_explanation_the_sentence_says_how_to_get_one(place, good):
    forged = good.honest()
    refer_to_itself(forged)
    assert native_reason(good, place.file(sealed(forged)), explain_rejection=False) == (
        "some transition does not lead to the state that the certificate says, or a state is not "
        "referred to as often as it says (--explain names the first one)"
    )


@pytest.mark.parametrize("options", [{}, {"tasks": 3}], ids=str)
def test_a_subtree_visited_twice_is_harmless(place, good, options):
    forged = good.honest(frames=3)
    assert attacks.duplicate_subtree(forged, 9, 0) == 5  # states 4 to 8
    file = place.file(sealed(forged))
    require_acceptance(good, file, 29, **options)


def test_explaining_counts_the_states_visited_twice(place, good):
    forged = good.honest()
    attacks.duplicate_subtree(forged, 9, 0)
    result = assay.certify(good.path, place.file(sealed(forged)), mode="explained")
    assert (result.verdict, result.states, result.duplicates) == (assay.Verdict.VERIFIED, 29, 5)


# --- A program with a bug --------------------------------------------------------------------------------


def without_violations(subject: Subject, forged: Certificate) -> Certificate:
    """Leave out every state from which a step goes wrong, and refer to its parent instead."""
    while True:
        wrong = [
            number
            for number, state in enumerate(forged.states)
            if any(code for _, code in subject.model.successors(state)) or subject.model.check_state(state)
        ]
        if not wrong:
            return forged
        link = forge.Tree(forged.entries).parent[wrong[0]]
        assert link is not None
        attacks.hide_subtree(forged, wrong[0], link[0])


@pytest.mark.parametrize("tree", ["breadth-first", "depth-first"])
@pytest.mark.parametrize("frames", [1, 3])
def test_a_bug_cannot_be_left_out_of_the_script(place, tree, frames):
    broken = place.subject(BROKEN)
    honest = broken.honest(tree=tree, frames=frames, subgraphs=True)
    forged = without_violations(broken, copy.deepcopy(honest))
    assert len(forged.entries) < len(honest.entries) == 24
    file = place.file(sealed(forged))
    for options in ({}, {"tasks": 3}, {"mode": "explained"}, {"tasks": 3, "partition": "subgraphs"}):
        reason = native_reason(broken, file, **options)
        assert "(A[0] model.pml:5: (y == 1)) refers to state" in reason
        assert reason.endswith("but leads to a state that the script never visits")
    assert checkers_reason(broken, file) == WRONG_REFERENCE
    believed = assay.certify(broken.path, file, mode="trusted", trust_unsigned=True)
    assert (believed.verdict, believed.complete) == (assay.Verdict.VERIFIED, False)
    assert believed.wrong_acceptance_log2 is None
    assert believed.notes == (
        "the script was believed: states were checked again, but not that there are no others, "
        "and nothing about steps",
    )


def test_a_bug_that_the_script_visits_is_met(place):
    broken = place.subject(BROKEN)
    file = place.file(sealed(broken.honest()))
    require_rejection(
        broken,
        file,
        "the program violates what the certificate claims: assert(x == 0)",
        "a property is violated: ",
    )


def test_a_violated_invariant_cannot_be_left_out_of_the_script(place):
    subject = place.subject(GOOD, invariants=("!(x == 1 && y == 1)",))
    forged = without_violations(subject, subject.honest(frames=2))
    reason = native_reason(subject, place.file(sealed(forged)), tasks=2)
    assert reason.endswith("but leads to a state that the script never visits")
    assert checkers_reason(subject, place.file(sealed(forged))) == WRONG_REFERENCE


def test_trusting_is_never_silent(place, capsys):
    broken = place.subject(BROKEN)
    file = place.file(sealed(without_violations(broken, broken.honest())))
    assert command("certify", broken.path, file) == 4
    assert command("certify", broken.path, file, "--trusted") == 2
    assert "--trust-unsigned" in capsys.readouterr().err
    assert command("certify", broken.path, file, "--trusted", "--trust-unsigned") == 0
    said = capsys.readouterr().out
    assert "every state of the certificate was visited again, and its producer is believed" in said
    assert "not that there are no others" in said


def command(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    assert isinstance(left.value.code, int)
    return left.value.code


# --- Frames ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tasks", [1, 3])
@pytest.mark.parametrize("order", [(0, 2, 1), (1, 0, 2), (2, 1, 0), (1, 2, 0)])
def test_frames_in_another_order_are_rejected(place, good, order, tasks):
    honest = good.honest(frames=3)
    frames = honest.raw_frames()
    file = place.file(file_bytes(honest.header, [frames[at] for at in order]))
    first = next(at for at in range(3) if order[at] != at)
    reason = native_reason(good, file, tasks=tasks)
    assert f"frame {first}" in reason or "task" in reason
    assert "start" in reason
    assert checkers_reason(good, file).startswith(f"frame {first} does not start where the walk stands")


@pytest.mark.parametrize("tasks", [1, 3])
@pytest.mark.parametrize("repeated", [0, 1, 2])
def test_a_frame_in_the_place_of_another_is_rejected(place, good, repeated, tasks):
    honest = good.honest(frames=3)
    frames = honest.raw_frames()
    frames[(repeated + 1) % 3] = frames[repeated]
    honest.header["states"] = sum(frame.states for frame in frames)
    honest.header["transitions"] = sum(frame.entries for frame in frames)
    honest.header["references"] = sum(frame.references for frame in frames)
    honest.header["claim"] = attacks.claim(honest.header)
    file = place.file(file_bytes(honest.header, frames))
    native_reason(good, file, tasks=tasks)
    checkers_reason(good, file)


# The second of three frames starts at state 10: over 0, 1, 2 and 9, where 0 and 1 have one child to come.
HONEST_START = bytes([4, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0])
ELSEWHERE = "does not start where the frame before it ends"
STARTS = [
    ("a child less to come", bytes([4, 0, 0, 0, 1, 0, 1, 0, 1, 0]), ELSEWHERE),
    ("another path", bytes([4, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0]), "to no state"),
    ("a shorter path", bytes([3, 0, 1, 0, 0, 1, 0, 1, 0]), ELSEWHERE),
    ("no path", bytes([0]), "nothing is left to visit at state 10"),
    ("no such step", bytes([4, 7, 0, 0, 0, 1, 0, 1, 0]), "step number 7 in a state with 2 successors"),
    ("no such child", bytes([4, 0, 1, 5, 0, 1, 0, 1, 0, 1, 0]), "names a child that does not exist"),
    ("around and around", bytes([60] + [0] * 120), "more states than are numbered before it"),
    ("without end", bytes([255, 255, 255, 255, 15]), "more states than are numbered before it"),
    ("a superfluous byte", bytes([132, 0]) + HONEST_START[1:], "is not a list of numbers"),
    ("a byte too many", HONEST_START + bytes(1), "is longer than its path"),
    ("a byte too few", HONEST_START[:-1], "is not a list of numbers"),
    ("nothing", b"", "is not a list of numbers"),
]


@pytest.mark.parametrize("tasks", [1, 3])
@pytest.mark.parametrize(("start", "words"), [case[1:] for case in STARTS], ids=[case[0] for case in STARTS])
def test_a_forged_start_is_rejected(place, good, start, words, tasks):
    honest = good.honest(frames=3)
    frames = honest.raw_frames()
    assert (frames[0].states, frames[1].start) == (10, HONEST_START)
    frames[1].start = start
    file = place.file(file_bytes(honest.header, frames))
    reason = native_reason(good, file, tasks=tasks)
    assert "frame 1" in reason
    assert (words if tasks == 3 else "it does not start where the frame before it ends") in reason
    assert "frame 1" in checkers_reason(good, file)


def test_the_first_frame_starts_at_the_initial_state(place, good):
    honest = good.honest()
    (frame,) = honest.raw_frames()
    frame.start = b"\x01\x00\x01\x00"
    require_rejection(
        good,
        place.file(file_bytes(honest.header, [frame])),
        "frame 0: the path to its start has more states than are numbered before it",
        "frame 0 does not start where the walk stands",
    )


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_checksum_of_every_frame_is_compared(place, good, number):
    honest = good.honest(frames=3)
    frames = honest.raw_frames()
    frames[number].checksum = 1
    require_rejection(
        good,
        place.file(file_bytes(honest.header, frames)),
        f"frame {number} is damaged: its checksum is not the one in the index",
        f"frame {number} does not have the checksum that the index gives",
    )


@pytest.mark.parametrize("field", ["states", "entries", "references"])
@pytest.mark.parametrize("change", [1, -1])
def test_counts_moved_from_one_frame_to_another_are_rejected(place, good, field, change):
    honest = good.honest(frames=3)
    frames = honest.raw_frames()
    for frame, difference in ((frames[0], change), (frames[1], -change)):
        setattr(frame, field, getattr(frame, field) + difference)
    file = place.file(file_bytes(honest.header, frames))
    for tasks in (1, 3):
        assert native_reason(good, file, tasks=tasks).startswith("frame ")
    assert "frame" in checkers_reason(good, file)


@pytest.mark.parametrize("position", range(0, 48, 5))
def test_a_wrong_list_of_subgraphs_is_rejected_by_everybody(place, good, position):
    """Whether or not the script is cut by it: a file is right for everybody or for nobody."""
    honest = good.honest(subgraphs=True)
    (frame,) = honest.raw_frames()
    listed = bytearray(frame.subgraphs)
    assert len(listed) == 48
    listed[position] += 1
    frame.subgraphs = bytes(listed)
    file = place.file(file_bytes(honest.header, [frame]))
    checkers_reason(good, file)
    for options in ({}, {"mode": "explained"}, {"partition": "subgraphs", "tasks": 3}):
        native_reason(good, file, **options)


def test_entries_that_a_list_of_subgraphs_gives_to_another_state_are_noticed(place):
    """So that every sum is right, and every subtree has its size in the list."""
    star = place.subject(
        "byte x; active proctype P() { do :: x = 0 :: x = 1 :: x = 2 :: x = 3 od }", "star.pml"
    )
    honest = star.honest(subgraphs=True)
    # Two leaves, one after the other: which entry is whose, the bits do not say.
    number = next(n for n, of in enumerate(honest.entries) if TREE not in of + honest.entries[n + 1])
    (frame,) = honest.raw_frames()
    listed = list(frame.subgraphs)
    for at, change in ((number, -1), (number + 1, 1)):
        listed[2 * at] += change
        listed[2 * at + 1] += change
    frame.subgraphs = bytes(listed)
    file = place.file(file_bytes(honest.header, [frame]))
    require_rejection(star, file, "frame 0: ", "the subgraphs give state")


# --- The file --------------------------------------------------------------------------------------------


def is_opened(data: bytes, place: Place) -> bool:
    """Whether either reader takes this for a certificate."""
    try:
        CertificateFile(place.file(data)).__exit__()
    except CertificateProblem:
        with pytest.raises(checker.Rejected):
            read_container(data)
        return False
    return True


def test_a_truncated_file_is_rejected(place, good):
    data = sealed(good.honest(frames=2))
    for length in range(len(data)):
        assert not is_opened(data[:length], place)
    cut = place.file(data[:-1])
    require_rejection(good, cut, "it was truncated or extended", "it was cut short or has more bytes")
    require_rejection(good, place.file(b""), "too short to be a certificate", "the file is cut short or none")


def test_extra_bytes_are_rejected(place, good):
    honest = good.honest(frames=2)
    data = sealed(honest)
    require_rejection(
        good, place.file(data + b"\0"), "it was truncated or extended", "it was cut short or has more bytes"
    )
    # Between the frames and the index, with a right digest.
    index = len(data) - 48 - 2 * 40
    offset = struct.pack("<Q", index + 1)
    inserted = forge.with_right_digest(data[:index] + b"\0" + data[index:-48] + offset + data[-40:])
    require_rejection(
        good,
        place.file(inserted),
        "the frames do not fill the file between header and index",
        "1 bytes between the header and the frames belong to nothing",
    )
    # Between the index and the trailer.
    inserted = forge.with_right_digest(data[:-48] + b"\0" + data[-48:])
    require_rejection(
        good, place.file(inserted), "the index is not where the file says", "the index does not"
    )


@pytest.mark.parametrize("section", ["start", "bits", "ids", "counts"])
def test_bytes_after_the_end_of_a_section_are_rejected(place, good, section):
    honest = good.honest()
    (frame,) = honest.raw_frames()
    setattr(frame, section, getattr(frame, section) + b"\0")
    file = place.file(file_bytes(honest.header, [frame]))
    native_reason(good, file)
    checkers_reason(good, file)


def test_flipped_bits_are_rejected(place, good):
    data = sealed(good.honest(frames=2))
    for number in range(len(data)):  # one bit of each byte, each of the eight in turn
        flipped = bytearray(data)
        flipped[number] ^= 1 << number % 8
        assert not is_opened(bytes(flipped), place)
    chance = random.Random(1)
    for _ in range(500):
        flipped = bytearray(data)
        for _ in range(chance.randint(2, 20)):
            flipped[chance.randrange(len(data))] ^= chance.randrange(1, 256)
        assert bytes(flipped) == data or not is_opened(bytes(flipped), place)


def test_a_damaged_file_is_called_damaged(place, good, capsys):
    data = bytearray(sealed(good.honest()))
    data[-100] ^= 1
    file = place.file(bytes(data))
    require_rejection(
        good, file, "the file is damaged", "the SHA-256 at the end of the file is not that of the file"
    )
    assert command("certify", good.path, file) == 4
    assert "rejected" in capsys.readouterr().out


# --- Sizes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("section", ["start", "bits", "ids", "counts", "subgraphs"])
def test_a_section_that_expands_without_bound_is_rejected(place, good, section):
    honest = good.honest(subgraphs=True)
    (frame,) = honest.raw_frames()
    setattr(frame, section, bytes(1 << 24))
    data = file_bytes(honest.header, [frame])
    assert len(data) < 10_000
    independent = "frame 0 does not start where" if section == "start" else "16777216 bytes"
    require_rejection(good, place.file(data), "16,777,216 bytes", independent)


def test_a_section_that_hides_its_size_is_rejected(place, good):
    honest = good.honest()
    (frame,) = honest.raw_frames()
    # A Zstandard frame that states 24 bytes and has blocks of 2^24.
    large = forge.compress(bytes(1 << 24))
    assert struct.unpack("<I", large[6:10]) == (1 << 24,)
    frame.compressed["counts"] = large[:6] + struct.pack("<I", 24) + large[10:]
    require_rejection(
        good,
        place.file(file_bytes(honest.header, [frame])),
        "frame 0 cannot be decompressed",
        "section counts of frame 0 cannot be decompressed",
    )


def test_sections_as_large_as_the_claimed_counts_allow_are_not_walked_to_their_end(place, good):
    honest = good.honest()
    (frame,) = honest.raw_frames()
    frame.states, frame.entries = 1 << 22, 1 << 23
    frame.references = frame.entries - (frame.states - 1)
    frame.bits = frame.bits + bytes((1 << 20) - len(frame.bits))
    frame.ids, frame.counts = bytes(frame.references), bytes(frame.states)
    honest.header |= {"states": frame.states, "transitions": frame.entries, "references": frame.references}
    honest.header["claim"] = attacks.claim(honest.header)
    data = file_bytes(honest.header, [frame])
    assert len(data) < 10_000
    reason = native_reason(good, place.file(data))
    assert "nothing is left to visit at state" in reason
    assert "references" in checkers_reason(good, place.file(data))


def test_a_script_that_goes_round_in_circles_ends_at_the_memory_limit(place):
    """True, if every number is another visit: a small file that asks for as much work as it likes."""
    circle = place.subject("active proctype P() { bit x; do :: x = 1 - x od }", "circle.pml")
    honest = circle.honest()
    states = 1 << 20
    frame = forge.RawFrame(
        states=states,
        entries=states,
        references=1,
        start=b"\0",
        bits=((1 << (states - 1)) - 1).to_bytes(states // 8, "little"),
        ids=b"\3",  # two before the prediction: to the last state but one
        counts=bytes(states - 2) + b"\1\0",
    )
    honest.header |= {"states": states, "transitions": states, "references": 1, "depth": states - 1}
    honest.header["claim"] = attacks.claim(honest.header)
    data = file_bytes(honest.header, [frame])
    assert len(data) < 2_000
    file = place.file(data)
    limited = assay.certify(circle.path, file, memory_limit_bytes=16 << 20)
    assert limited.verdict is assay.Verdict.INCOMPLETE
    assert limited.reasons == ("a walk would have to keep more than the memory limit allows",)
    explained = assay.certify(circle.path, file, mode="explained")
    assert (explained.verdict, explained.duplicates) == (assay.Verdict.VERIFIED, states - 2)


@pytest.mark.parametrize("key", ["states", "transitions", "depth", "frames"])
@pytest.mark.parametrize("power", [32, 48, 63, 64])
@pytest.mark.parametrize("less", [0, 1])
def test_numbers_without_measure_are_rejected(place, good, key, power, less):
    honest = good.honest()
    frames = honest.raw_frames()
    honest.header[key] = (1 << power) - less
    honest.header["references"] = honest.header["transitions"] - (honest.header["states"] - 1)
    honest.header["claim"] = attacks.claim(honest.header)
    file = place.file(file_bytes(honest.header, frames))
    expected = {
        ("states", 32, 1): "37 transitions cannot connect 4,294,967,295 states",
        ("transitions", 32, 0): "the frames have 37 entries, the header claims 4,294,967,296",
        ("transitions", 32, 1): "the frames have 37 entries, the header claims 4,294,967,295",
        ("transitions", 48, 1): "the frames have 37 entries, the header claims 281,474,976,710,655",
        ("depth", 32, 1): "the longest path of the tree has 8 steps, the certificate claims 4,294,967,295",
    }.get((key, power, less), "the header has no number from ")
    assert expected in native_reason(good, file)
    checkers_reason(good, file)


@pytest.mark.parametrize("field", range(9))
def test_a_record_without_measure_is_rejected(place, good, field):
    data = sealed(good.honest())
    record = len(data) - 48 - 40 + 4 * field
    forged = data[:record] + b"\xff" * 4 + data[record + 4 :]
    file = place.file(forge.with_right_digest(forged))
    native_reason(good, file)
    checkers_reason(good, file)


# --- The claim -------------------------------------------------------------------------------------------


def test_another_program_is_rejected(place, good):
    file = place.file(sealed(good.honest()))
    other = place.subject(GOOD.replace("y = 0", "y = 2"))
    require_rejection(
        other, file, "the certificate is about another program text: model.pml differs", "is another program"
    )
    # Not even a comment may differ.
    commented = place.subject(f"{GOOD}/* as before */\n")
    require_rejection(commented, file, "another program text", "is another program")


def test_a_program_is_not_what_its_header_says(place, good):
    """Hash and name of the broken program over the script of the good one: the walk has to find out."""
    broken = place.subject(BROKEN)
    honest = broken.honest()
    assert honest.entries == place.subject(GOOD).honest().entries
    place.subject(BROKEN)
    require_rejection(broken, place.file(sealed(honest)), "assert(x == 0)", "a property is violated: ")


def test_the_claim_calls_the_program_by_the_name_of_its_file(place, good):
    forged = good.honest()
    forged.header["program"] = "better.pml"
    require_rejection(
        good,
        place.file(sealed(forged)),
        "the header calls the program by another name than its first file has",
        "'program' of the header is not its first source, or a class in it",
    )


def test_a_renamed_program_with_the_same_text_is_the_same_program(place, good):
    file = place.file(sealed(good.honest()))
    renamed = place.subject(GOOD, "other.pml")
    require_acceptance(renamed, file, 24)
    assert assay.certify(renamed.path, file).notes == ("the certificate calls this text model.pml",)


def test_included_files_keep_their_names(place):
    (place.folder / "a.h").write_text("byte z;\n")
    including = place.subject(f'#include "a.h"\n{GOOD}', "including.pml")
    file = place.file(sealed(including.honest()))
    require_acceptance(place.subject(f'#include "a.h"\n{GOOD}', "again.pml"), file, 24)
    forged = including.honest()
    forged.header["sources"][1]["name"] = "b.h"
    require_rejection(
        including,
        place.file(sealed(forged)),
        "another program text: a.h, b.h differs",
        "a file that it includes",
    )


def test_a_claim_that_does_not_follow_from_its_facts_is_rejected(place, good):
    forged = good.honest()
    forged.header["claim"] = "Everything is fine."
    assert "its claim does not follow from its facts" in native_reason(good, place.file(forged.to_bytes()))


def test_other_semantics_are_rejected(place, good):
    for change, native in [
        ({"language": "Promela as I understand it"}, "other semantics"),
        ({"reductions": ["magic"]}, "other semantics"),
        ({"reductions": "merging"}, "the header has no list of texts under 'reductions'"),
        ({"safety_only": 0}, "other semantics"),
        ({"more": True}, "other semantics"),
        ({"defines": ["-o/tmp/x"]}, "the program cannot be compiled as the certificate says"),
    ]:
        forged = good.honest()
        forged.header["semantics"] |= change
        file = place.file(sealed(forged))
        assert native in native_reason(good, file, defines=None)
        checkers_reason(good, file)


def test_the_script_of_one_reduction_is_none_of_another(place, good):
    reduced = Subject(good.path, LanguageOptions(reductions=frozenset({"merging"})))
    forged = good.honest()
    forged.header["semantics"] = dict(reduced.program.semantics)
    file = place.file(sealed(forged))
    native_reason(good, file)
    checkers_reason(good, file)


def test_macros_are_part_of_the_claim_and_not_accepted_silently(place):
    """A macro may make a program harmless: that claim is true, and not the one wanted."""
    broken = place.subject(BROKEN)
    harmless = Subject(broken.path, LanguageOptions(defines=("assert(q)=skip",)))
    file = place.file(sealed(harmless.honest()))
    assert native_reason(broken, file) == (
        'the certificate is about the program with the macro "assert(q)=skip", '
        "you asked for it with no macros; say -D 'assert(q)=skip' if that is the program you mean, "
        "or --any-macros to accept the claim with whatever macros it names"
    )
    assert "you asked for it with the macro N=3; " in native_reason(broken, file, defines=["N=3"])
    accepted = assay.certify(broken.path, file, defines=None)
    assert accepted.verdict is assay.Verdict.VERIFIED
    assert accepted.semantics["defines"] == ["assert(q)=skip"]
    # Hidden from the header, it is another program.
    forged = harmless.honest()
    forged.header["semantics"]["defines"] = []
    require_rejection(broken, place.file(sealed(forged)), "assert(x == 0)", "a property is violated: ")


def test_a_claim_without_deadlocks_is_rejected_unless_that_is_enough(place):
    stuck = Subject(place.subject(STUCK, "stuck.pml").path, deadlock=False)
    file = place.file(sealed(stuck.honest()))
    assert "does not claim that there is no deadlock" in native_reason(stuck, file)
    enough = assay.certify(stuck.path, file, require_deadlock_freedom=False)
    assert enough.verdict is assay.Verdict.VERIFIED
    assert "deadlock" not in enough.claim
    # With the word put back in, the walk meets one.
    lying = Subject(stuck.path).honest()
    require_rejection(stuck, place.file(sealed(lying)), "the program violates what the certificate claims",
                      "has no successors and is no valid end")  # fmt: skip


def test_a_claim_without_assertions_is_rejected(place, good):
    forged = good.honest()
    forged.header["properties"]["assertions"] = False
    require_rejection(
        good,
        place.file(sealed(forged)),
        "the certificate does not claim that assertions hold",
        "the header does not claim that assertions hold",
    )


def test_an_invariant_left_out_of_the_claim_can_be_asked_for(place, good):
    file = place.file(sealed(good.honest()))
    added = assay.certify(good.path, file, invariants=["x + y < 2"])
    assert added.verdict is assay.Verdict.VIOLATED
    assert added.violations[0].message == "x + y < 2"
    steps = assay.certify(good.path, file, step_invariants=["next.y >= y"], tasks=1)
    assert steps.verdict is assay.Verdict.VIOLATED
    assert assay.certify(good.path, file, invariants=["x + y < 3"]).verdict is assay.Verdict.VERIFIED


def test_a_reduced_graph_is_not_asked_about_what_it_may_hide(place, good):
    reductions = frozenset({"dead-variables", "merging", "partial-order"})
    reduced = Subject(good.path, LanguageOptions(reductions=reductions))
    file = place.file(sealed(reduced.honest()))
    require_acceptance(reduced, file, 11)
    with pytest.raises(assay.SourceProblem, match="may hide what the added invariant is about"):
        assay.certify(good.path, file, invariants=["x + y < 2"])


def test_an_invariant_cannot_be_taken_from_a_certificate_that_was_signed(place, good, tmp_path):
    subject = Subject(good.path, LanguageOptions(invariants=("x < 2",)))
    file = place.file(sealed(subject.honest()))
    generate_keys(tmp_path / "key", tmp_path / "key.pub")
    sign(file, tmp_path / "key", tmp_path / "signature")
    trusted = {"mode": "trusted", "trusted_keys": [tmp_path / "key.pub"], "signature": tmp_path / "signature"}
    assert assay.certify(subject.path, file, **trusted).verdict is assay.Verdict.VERIFIED
    shortened = place.file(sealed(good.honest()))
    assert "the signature is about another file" in native_reason(subject, shortened, **trusted)


@pytest.mark.parametrize(
    "tree",
    ["random", None, [], {}],
    ids=["text", "null", "list", "object"],
)
def test_a_tree_of_another_kind_is_rejected(place, good, tree):
    forged = good.honest()
    forged.header["tree"] = tree
    file = place.file(sealed(forged))
    native = "another kind of tree" if isinstance(tree, str) else "the header has no text under 'tree'"
    assert native in native_reason(good, file)
    assert "tree" in checkers_reason(good, file)


def test_what_a_stranger_wrote_cannot_steer_a_terminal(place, good, capsys):
    """Up one line, erase it, write another verdict."""
    forged = good.honest()
    forged.header["program"] = "\x1b[1A\x1b[2Kverified  model.pml: the certificate holds\n"
    assert command("certify", good.path, place.file(sealed(forged))) == 4
    assert "\x1b" not in capsys.readouterr().out
