"""What the format says, both checkers say: files that differ from an honest one in any part of it."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path

import pytest

import assay
from assay import checker
from assay.checker.container import read_container
from assay.evidence.certificate.container import CertificateFile
from assay.evidence.certificate.header import CertificateProblem
from assay.transition_system.language_options import LanguageOptions
from tests.certificates import graph_certificates as forge
from tests.certificates.attacks import Subject, sealed
from tests.certificates.graph_certificates import file_bytes

PROGRAM = """\
byte x, y;
active proctype A() { x = 1; if :: y == 1 -> assert(x == 1) :: else -> skip fi; x = 0 }
active proctype B() { y = 1; y = 0 }
"""


@pytest.fixture(scope="module")
def subject(tmp_path_factory):
    path = tmp_path_factory.mktemp("agree") / "model.pml"
    path.write_text(PROGRAM)
    return Subject(path, LanguageOptions(invariants=("x <= 1",)))


def answers(subject: Subject, data: bytes) -> tuple[bool, bool]:
    """Whether the native certifier and the independent checker accept a file."""
    file = subject.path.parent / "forged.assay"
    file.write_bytes(data)
    result = assay.certify(subject.path, file, explain_rejection=False)
    assert result.verdict in {assay.Verdict.VERIFIED, assay.Verdict.REJECTED}, result
    try:
        checker.check(subject.path, file)
    except checker.Rejected:
        return result.verdict is assay.Verdict.VERIFIED, False
    return result.verdict is assay.Verdict.VERIFIED, True


VALUES = [
    None, True, False, 0, 1, -1, 2.0, 1 << 40, "", "x", "a/b", "model.pml", "model.pml:A", "é",
    "\u202e", "`", "x <= 1", "x" * 4097, [], [1], ["x <= 1"], ["x <= 1"] * 1001, {}, {"a": 1}, [{}],
    [{"name": "model.pml", "sha256": "0" * 64}],
]  # fmt: skip


def places(value: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    found = [path] if path else []
    if isinstance(value, dict):
        return found + [p for key in value for p in places(value[key], (*path, key))]
    if isinstance(value, list):
        return found + [p for at, item in enumerate(value) for p in places(item, (*path, at))]
    return found


def with_value(header: dict, path: tuple, value: object) -> dict:
    changed = copy.deepcopy(header)
    inner = changed
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return changed


def is_read(data: bytes, file: Path) -> tuple[bool, bool]:
    """By both readers, which see no program yet."""
    file.write_bytes(data)
    try:
        with CertificateFile(file) as opened:
            native = opened.header.properties.assertions
    except CertificateProblem:
        native = False
    try:
        read_container(data)
    except checker.Rejected:
        return native, False
    return native, True


def test_both_readers_of_a_header_accept_the_same(subject, tmp_path):
    honest = subject.honest(subgraphs=True)
    frames = honest.raw_frames()
    good = json.loads(forge.header_bytes({**honest.header, "claim": None}))
    assert is_read(file_bytes(good, frames), tmp_path / "c") == (True, True)
    tried = accepted = 0
    for path in places(good):
        for value in VALUES:
            for claim in ("as it was", "made again"):
                try:
                    changed = with_value(good, path, value)
                    if claim == "made again" and path[0] != "claim":
                        changed["claim"] = forge.sentence(changed)
                    data = file_bytes(changed, frames)
                except (ValueError, OverflowError):  # a number too long for JSON here
                    continue
                native, independent = is_read(data, tmp_path / "c")
                assert native == independent, (path, value, claim)
                tried, accepted = tried + 1, accepted + native
    assert tried > 1500
    assert 10 < accepted < tried / 4


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(b'"depth"', b'"depht":0,"depth"', 1),
        lambda text: text.replace(b'"depth"', b'"depth":1,"depth"', 1),
        lambda text: text.replace(b'"tool"', b'"more":1,"tool"', 1),
        lambda text: text.replace(b'"name"', b'"more":1,"name"', 1),
        lambda text: text.replace(b'"deadlock"', b'"dead":1,"deadlock"', 1),
        lambda text: text.replace(b":", b": ", 1),
        lambda text: text + b"\n",
        lambda text: text.replace(b"assay", b"\\u0061ssay", 1),
    ],
)
def test_both_readers_refuse_other_keys_and_other_forms(subject, tmp_path, change):
    honest = subject.honest()
    text = change(forge.header_bytes({**honest.header, "claim": None}))
    assert is_read(file_bytes(text, honest.raw_frames()), tmp_path / "c") == (False, False)


@pytest.mark.parametrize("seed", range(4))
def test_both_checkers_accept_the_same_sections(subject, seed):
    """Bytes and counts of frames changed at random, with sums and checksums made right again."""
    chance = random.Random(seed)
    honest = subject.honest(frames=chance.choice([1, 3]), subgraphs=chance.random() < 0.7)
    seen = set()
    for _ in range(40):
        frames = [copy.copy(frame) for frame in honest.raw_frames()]
        frame = chance.choice(frames)
        section = chance.choice(["start", "bits", "ids", "counts", "subgraphs"])
        content = bytearray(getattr(frame, section))
        if not content:
            continue
        how = chance.randrange(4)
        at = chance.randrange(len(content))
        if how == 0:
            content[at] ^= 1 << chance.randrange(8)
        elif how == 1:
            content[at] = chance.randrange(4)
        elif how == 2:
            content.insert(at, chance.randrange(4))
        else:
            other = chance.randrange(len(content))
            content[at], content[other] = content[other], content[at]
        setattr(frame, section, bytes(content))
        found = answers(subject, file_bytes(honest.header | {"claim": None}, frames))
        assert found[0] == found[1], (section, how, bytes(content).hex())
        seen.add(found)
    assert (False, False) in seen


def with_window(content: bytes, log: int) -> bytes:
    """A Zstandard frame of one raw block that asks for a window of 2^log bytes (RFC 8878, section 3.1.1)."""
    descriptor = bytes([0b1000_0000, (log - 10) << 3]) + len(content).to_bytes(4, "little")
    block = (len(content) << 3 | 1).to_bytes(3, "little") + content
    return b"\x28\xb5\x2f\xfd" + descriptor + block


@pytest.mark.parametrize(("log", "is_accepted"), [(20, True), (27, True), (28, False), (41, False)])
def test_a_window_that_is_too_large_is_refused_by_both(subject, log, is_accepted):
    honest = subject.honest()
    (frame,) = honest.raw_frames()
    frame.compressed["counts"] = with_window(frame.counts, log)
    found = answers(subject, file_bytes(honest.header | {"claim": None}, [frame]))
    assert found == (is_accepted, is_accepted)


def test_the_honest_certificates_are_accepted(subject):
    assert answers(subject, sealed(subject.honest())) == (True, True)
    assert answers(subject, sealed(subject.honest(subgraphs=True, frames=3))) == (True, True)
