"""The section Moves: whose step each TREE entry is. It leads those who trust; nobody has to believe it."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

import assay
from assay import _engine
from assay.certification.program import load_for
from assay.checker.container import Rejected, read_container
from assay.checker.walk import check_script
from assay.evidence.certificate.container import CertificateFile, CertificateWriter
from assay.evidence.certificate.frames import Frame
from assay.evidence.certificate.header import CertificateProblem, Header
from assay.evidence.verdict import Verdict
from assay.transition_system.language_options import LanguageOptions
from assay.transition_system.opening import open_model
from tests.certificates.graph_certificates import varint

RING = """
byte turn
chan q = [1] of { bit }
active [2] proctype P() {
    do
    :: turn == _pid -> if :: turn = 1 - _pid :: skip fi
    :: nfull(q) -> q!1
    :: q?1
    od
}
"""
STOPS = "byte n; active [2] proctype P() { n++; n < 9 } active proctype Q() { n < 2; n++ }"
WAITS_FOR_NOBODY = "byte n; active proctype P() { do :: n < 3 -> n++ :: timeout -> n = 0 od }"


def certified(here: Path, text: str, **options: object) -> tuple[Path, Path]:
    program, file = here / "m.pml", here / "m.assay"
    program.write_text(text)
    verify = {"reductions": (), **options}
    assert assay.verify(program, certificate=file, **verify).verdict is Verdict.VERIFIED
    return program, file


@pytest.fixture(scope="module")
def ring(tmp_path_factory):
    return certified(tmp_path_factory.mktemp("ring"), RING)


def frames_of(file: Path) -> tuple[Header, list[Frame]]:
    with CertificateFile(file) as opened:
        return opened.header, list(opened.frames())


def written(path: Path, header: Header, frames: list[Frame]) -> Path:
    with CertificateWriter(path, header) as writer:
        for frame in frames:
            writer.add(frame)
        writer.finish()
    return path


def numbers_in(frame: Frame) -> list[int]:
    found, value, shift = [], 0, 0
    for byte in frame.moves:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            found.append(value)
            value = shift = 0
    return found


class Checkers:
    """The walk of the engine and the independent checker, on one program, in this process."""

    def __init__(self, program: Path, file: Path, here: Path) -> None:
        self.header, self.frames = frames_of(file)
        self._program = load_for(program, self.header, LanguageOptions())
        self._model = open_model(self._program.opening)
        self._here = here

    def walk(self, frames: list[Frame], purpose: str) -> str:
        """Why it refuses; empty if it does not."""
        walk = _engine.walk(
            self._model,
            purpose=purpose,
            check_deadlock=True,
            total_states=self.header.states,
            memory_limit_bytes=0,
            secrets=bytes(range(256)) * 64,
            drop_after_last=False,
            moves=True,
        )
        try:
            for number, frame in enumerate(frames):
                if number == 0:
                    walk.begin(frame.start, 0)
                elif walk.position() != frame.start:
                    return "does not start where the frame before it ends"
                sections = frame.bits, frame.ids, frame.counts, frame.moves
                if not walk.frame(frame.states, frame.entries, frame.references, *sections):
                    return f"violation {walk.violation}"
        except _engine.Rejected as problem:
            return str(problem)
        return "" if walk.is_finished else "something is left"

    def checker(self, frames: list[Frame]) -> str:
        file = written(self._here / "changed.assay", self.header, frames)
        try:
            check_script(read_container(file.read_bytes()), self._model, processes=self._model.processes)
        except Rejected as problem:
            return str(problem)
        return ""


def test_a_certificate_names_moves_and_everybody_accepts_it(ring, tmp_path):
    header, frames = frames_of(ring[1])
    assert (header.version, header.moves, header.subgraphs) == (4, True, False)
    assert all(frame.moves for frame in frames)
    for options in ({}, {"mode": "trusted", "trust_unsigned": True}, {"mode": "explained"}, {"tasks": 3}):
        result = assay.certify(*ring, **options)
        assert (result.verdict, result.states) == (Verdict.VERIFIED, header.states)
    both = Checkers(*ring, tmp_path)
    assert both.checker(frames) == ""
    for purpose in ("authenticate", "explain", "trust"):
        assert both.walk(frames, purpose) == ""


def test_whatever_is_changed_in_moves_both_checkers_refuse(ring, tmp_path):
    """But nobody named: that is right of every step, and costs whoever trusts the asking."""
    both = Checkers(*ring, tmp_path)
    draw = random.Random(5)
    refused = trusted_refused = 0
    for _ in range(150):
        number = draw.randrange(len(both.frames))
        frame = both.frames[number]
        moves = numbers_in(frame)
        at = draw.randrange(len(moves))
        match draw.randrange(5):
            case 0:
                moves[at] = draw.choice([moves[at] + 1, moves[at] + 256, 254, 1 << 20, max(0, moves[at] - 1)])
            case 1:
                del moves[at]
            case 2:
                moves.insert(at, draw.randrange(5))
            case 3:
                moves[at], moves[at - 1] = moves[at - 1], moves[at]
            case 4:
                moves[at] = draw.randrange(4)
        content = b"".join(map(varint, moves))
        if content == frame.moves or not content:
            continue
        frames = [*both.frames[:number], replace(frame, moves=content), *both.frames[number + 1 :]]
        verdicts = {bool(both.walk(frames, "authenticate")), bool(both.checker(frames))}
        assert len(verdicts) == 1, (number, at, moves[at])
        is_unnamed = moves[at] == 0 and len(moves) == len(numbers_in(frame))
        assert verdicts == {True} or is_unnamed
        refused += verdicts == {True}
        trusted_refused += bool(both.walk(frames, "trust"))  # or it is led elsewhere, and says so or not
    assert refused > 80
    assert trusted_refused > 40


def test_nobody_named_is_right_of_every_step(ring, tmp_path):
    both = Checkers(*ring, tmp_path)
    frames = []
    for frame in both.frames:
        numbers, unnamed, used = iter(numbers_in(frame)), [], 0
        for _ in range(frame.states):
            degree = next(numbers)
            bits = [frame.bits[i // 8] >> i % 8 & 1 for i in range(used, used + degree)]
            used += degree
            unnamed += [degree, *(0 for bit in bits if bit)]
            for bit in bits:
                assert not bit or next(numbers)
        frames.append(replace(frame, moves=b"".join(map(varint, unnamed))))
    assert both.checker(frames) == ""
    for purpose in ("authenticate", "explain", "trust"):
        assert both.walk(frames, purpose) == ""


def test_whoever_is_led_by_moves_sees_deadlocks(tmp_path):
    """Of states without children, too: the script is believed, not the states."""
    program, file = certified(tmp_path, STOPS, check_deadlock=False)
    header, frames = frames_of(file)
    assert header.moves
    claims = replace(header, properties=replace(header.properties, deadlock=True))
    forged = written(tmp_path / "forged.assay", claims, frames)
    for options in ({"mode": "trusted", "trust_unsigned": True}, {}):
        result = assay.certify(program, forged, **options)
        assert result.verdict is Verdict.REJECTED
        assert "invalid end state" in str(result.reasons)


def test_where_everybody_has_to_be_asked_there_are_no_moves(tmp_path):
    for text, options in (
        (WAITS_FOR_NOBODY, {}),
        (RING, {"search": "dfs"}),
        (RING, {"subgraphs": True}),
    ):
        program, file = certified(tmp_path, text, **options)
        header, _ = frames_of(file)
        assert (header.version, header.moves) == (1, False)
        trusted = assay.certify(program, file, mode="trusted", trust_unsigned=True)
        assert trusted.verdict is Verdict.VERIFIED


def test_reductions_and_formulas_go_with_moves(tmp_path):
    text = RING + "ltl f { [] (turn < 2) }\n"
    program, file = certified(tmp_path, text, reductions=("dead-variables", "merging", "partial-order"))
    header, _ = frames_of(file)
    assert header.version == 4
    assert header.temporal is not None
    assert assay.certify(program, file).verdict is Verdict.VERIFIED
    assert assay.certify(program, file, mode="trusted", trust_unsigned=True).verdict is Verdict.VERIFIED


@pytest.mark.parametrize("version", [1, 2, 3, 5])
def test_a_file_with_moves_has_version_4(ring, tmp_path, version):
    data = bytearray(ring[1].read_bytes())
    data[8:12] = version.to_bytes(4, "little")
    file = tmp_path / "other.assay"
    file.write_bytes(data)
    with pytest.raises(CertificateProblem):
        CertificateFile(file)
    with pytest.raises(Rejected):
        read_container(bytes(data))


def test_moves_and_subgraphs_share_one_place(ring):
    header, _ = frames_of(ring[1])
    text = replace(header, subgraphs=True).as_bytes()
    with pytest.raises(CertificateProblem, match="two sections"):
        Header.from_bytes(text)
    with pytest.raises(CertificateProblem, match="canonical"):
        Header.from_bytes(header.as_bytes().replace(b'"moves":true', b'"moves":false'))
