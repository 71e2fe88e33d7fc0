"""The file around the frames: what is written is read back, and a reader believes no length."""

import hashlib
import json
import os
import stat
import struct
import tracemalloc
import zlib
from dataclasses import replace
from random import Random

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evidence.certificate.claim import Claim, partial_name
from assay.evidence.certificate.container import (
    PREAMBLE,
    RECORD,
    TRAILER,
    CertificateFile,
    CertificateWriter,
)
from assay.evidence.certificate.dictionaries import Samples, StoredDictionaries, spread
from assay.evidence.certificate.frames import Frame, FrameRecord, decode_frame
from assay.evidence.certificate.header import CertificateProblem, Header, Properties, Source

HEADER = Header(
    program="figure.pml",
    language="promela",
    sources=(Source("figure.pml", "11" * 32),),
    semantics={"reductions": ["merging"], "safety_only": False},
    properties=Properties(deadlock=False, invariants=("x < 2",)),
    tree="depth-first",
    states=5,
    transitions=9,
    depth=3,
    frames=2,
    producer={"tool": "assay", "version": "0.1.0"},
)
FRAMES = (
    Frame(2, 4, 2, b"\x00", bytes([0b1001]), b"\x06\x03", b"\x02\x01"),
    Frame(3, 5, 3, b"\x02\x00\x00\x01\x00", b"\x06", b"\x03\x00\x02", b"\x00\x02\x00"),
)


def write(path, header=HEADER, frames=FRAMES, **options):
    with CertificateWriter(path, header, **options) as writer:
        for frame in frames:
            writer.add(frame)
        writer.finish()
    return path


def reason(path):
    with pytest.raises(CertificateProblem) as caught, CertificateFile(path) as file:
        list(file.frames())
    return str(caught.value)


def sealed(data):
    """A changed file whose digest is right again."""
    return data[:-32] + hashlib.sha256(data[:-32]).digest()


@pytest.fixture
def file(tmp_path):
    return write(tmp_path / "figure.assay")


# --- Writing --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("coding", ["fast", "small"])
def test_what_is_written_is_read_back(tmp_path, coding):
    path = write(tmp_path / "figure.assay", coding=coding)
    with CertificateFile(path) as file:
        assert file.header == HEADER
        assert tuple(file.frames()) == FRAMES
        assert (file.first_states, file.size) == ([0, 2], path.stat().st_size)
        assert file.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
        trusted = file.frame(1, bits_only=True)
        assert (trusted.start, trusted.bits) == (FRAMES[1].start, FRAMES[1].bits)
        assert (trusted.ids, trusted.counts, trusted.subgraphs) == (b"", b"", b"")


DICTIONARIES = (b"\x02\x00\x00\x01", b"", b"\x06\x03" * 40, b"\x02\x01\x00", b"")


def test_sections_may_refer_to_dictionaries(tmp_path):
    path = write(tmp_path / "figure.assay", coding="small", dictionaries=DICTIONARIES)
    with CertificateFile(path) as file:
        assert file.header == replace(HEADER, dictionaries=(4, 0, 80, 3, 0))
        assert tuple(file.frames()) == FRAMES
        assert file.offsets[0] == 16 + len(file.header.as_bytes()) + len(file.stored_dictionaries.content)
        body = file.frame_bytes(0)
        assert decode_frame(0, file.records[0], body, file.stored_dictionaries.opened()) == FRAMES[0]
        again = write(tmp_path / "again.assay", header=file.header)
    with CertificateFile(again) as file:
        assert (file.header, file.stored_dictionaries.content) == (HEADER, b"")


def test_frames_are_written_in_their_order_whoever_is_done_first(tmp_path):
    chance = Random(3)
    frames = [
        Frame(1, 8, 8, b"\x00", b"\x00", bytes(chance.choices(range(9), k=chance.choice((1, 35)))), b"\x01")
        for _ in range(200)
    ]
    header = replace(HEADER, states=200, transitions=1600, frames=200)
    path = write(tmp_path / "many.assay", header, frames, coding="small")
    with pytest.raises(CertificateProblem, match="the frames have 1,600 references, the header claims 1,401"):
        CertificateFile(path)
    frames = [replace(frame, references=7 + (number < 1)) for number, frame in enumerate(frames)]
    path = write(tmp_path / "many.assay", header, frames, coding="small")
    with CertificateFile(path) as file:
        assert list(file.frames()) == frames


def test_dictionaries_are_made_of_whole_sections_spread_over_the_script():
    samples = Samples(200)
    for number in range(200):
        samples.take(bytes([number]), bytes([number]) * 40_000, b"", bytes([number]) * (3 << 20), b"\x01")
    start, bits, ids, counts, subgraphs = samples.dictionaries()
    assert start == bytes(range(2, 200, 4))
    assert bits[::40_000] == bytes(start[place] for place in spread(50, 26))
    assert len(bits) == 26 * 40_000 <= 1 << 20
    assert (ids, counts, subgraphs) == (b"", bytes([102]) * (1 << 20), b"\x01" * 50)
    assert spread(3, 3) == [0, 1, 2]


def test_the_bytes_are_those_of_the_specification(file):
    data = file.read_bytes()
    assert data[:12] == bytes.fromhex("89 41 53 53 41 59 0D 0A 01 00 00 00")
    (header_length,) = struct.unpack_from("<I", data, 12)
    header = json.loads(data[16 : 16 + header_length])
    assert (header["states"], header["transitions"], header["references"]) == (5, 9, 5)
    assert list(header) == sorted(header)
    index, end_magic = struct.unpack_from("<Q8s", data, len(data) - 48)
    assert (end_magic, index) == (b"ASSAYEND", len(data) - 48 - 2 * 40)
    assert data[-32:] == hashlib.sha256(data[:-32]).digest()


def test_a_file_appears_only_when_it_is_finished(tmp_path):
    with CertificateWriter(tmp_path / "out.assay", HEADER) as writer:
        writer.add(FRAMES[0])
        assert [left.suffix for left in tmp_path.iterdir()] == [".partial"]
    assert list(tmp_path.iterdir()) == []


def test_frames_that_do_not_add_up_are_not_finished(tmp_path):
    path = tmp_path / "out.assay"
    for frames in (FRAMES[:1], (*FRAMES, FRAMES[1]), (FRAMES[0], FRAMES[0])):
        with pytest.raises(AssertionError):
            write(path, frames=frames)
    assert list(tmp_path.iterdir()) == []


def test_writers_at_the_same_time_do_not_meet(tmp_path):
    path = tmp_path / "out.assay"
    with CertificateWriter(path, HEADER) as first, CertificateWriter(path, HEADER) as second:
        for frame in FRAMES:
            first.add(frame)
            second.add(frame)
        assert first.finish() == second.finish() == path.stat().st_size
    assert list(tmp_path.iterdir()) == [path]
    assert len({partial_name(path) for _ in range(100)}) == 100


def test_the_mode_of_the_file_is_what_the_user_is_used_to(tmp_path):
    before = os.umask(0o027)
    try:
        path = write(tmp_path / "out.assay")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_name_may_be_as_long_as_a_directory_allows(tmp_path):
    path = write(tmp_path / ("x" * 249 + ".assay"))
    with CertificateFile(path) as file:
        assert file.header == HEADER


def test_a_header_that_no_reader_accepts_is_not_written(tmp_path):
    long = replace(HEADER, semantics={"defines": ["x" * (1 << 20)]})
    with pytest.raises(CertificateProblem, match="more than a reader accepts"):
        CertificateWriter(tmp_path / "out.assay", long)
    assert list(tmp_path.iterdir()) == []


def test_a_claim_travels_as_json():
    claim = Claim(
        program="m.pml",
        language="promela",
        sources=(Source("m.pml", "22" * 32), Source("m.h", "33" * 32)),
        semantics={"defines": ["N=3"]},
        properties=Properties(invariants=("x < 2",), step_invariants=("next.x > x",)),
        tree="breadth-first",
        version="1.2",
    )
    assert Claim.from_json(json.loads(json.dumps(claim.as_json()))) == claim
    header = claim.with_counts(states=3, transitions=4, depth=2, frames=1, subgraphs=False)
    assert Header.from_bytes(header.as_bytes()) == header
    assert header.references == 2
    assert header.claim == (
        "In every state that m.pml (promela) can reach "
        "(at most 3, with 4 transitions), no assertion fails, no state is a "
        "deadlock, `x < 2` holds in every state, `next.x > x` holds at every step."
    )


# --- Reading what strangers wrote -----------------------------------------------------------------------


def test_every_truncation_and_extension_is_refused(file):
    data = file.read_bytes()
    for length in range(len(data)):
        file.write_bytes(data[:length])
        reason(file)
    file.write_bytes(data + b"\x00")
    assert reason(file) == "the file does not end like a certificate: it was truncated or extended"


def test_every_flipped_bit_is_refused(file):
    data = file.read_bytes()
    for position in range(len(data)):
        damaged = bytearray(data)
        damaged[position] ^= 1 << Random(position).randrange(8)
        file.write_bytes(damaged)
        reason(file)


def index_of(data):
    (offset,) = struct.unpack_from("<Q", data, len(data) - TRAILER.size)
    return offset


STORED = list(FrameRecord.__dataclass_fields__)[:10]  # the rest is not in the file


@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize("change", [-1, 1, 1 << 20, (1 << 32) - 8])
def test_every_number_of_the_index_is_checked(file, name, change):
    data = bytearray(file.read_bytes())
    place = index_of(data) + 4 * STORED.index(name)
    (value,) = struct.unpack_from("<I", data, place)
    struct.pack_into("<I", data, place, (value + change) % (1 << 32))
    file.write_bytes(sealed(bytes(data)))
    reason(file)


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ({"states": 1 << 23}, {}, "more than a frame may have"),
        ({"entries": (1 << 23) + 1}, {}, "more than a frame may have"),
        ({"references": 5}, {}, "frame 0 claims more references than entries"),
        ({"start_length": 1 << 29}, {}, "frame 0 claims a start section"),
        ({"start_length": 27}, {}, "frame 0 has sections of other lengths than the index says"),
        ({"states": 3}, {}, "the frames have 6 states, the header claims 5"),
        ({"entries": 5}, {}, "the frames have 10 entries, the header claims 9"),
        ({"references": 3}, {}, "the frames have 6 references, the header claims 5"),
        ({"entries": 9}, {"entries": 0}, "frame 1 claims more references than entries"),
        ({"states": 5}, {"states": 0}, "frame 1 has a section of 3 bytes where its counts allow 0"),
        ({"supplement": 1}, {}, "other sections than the header announces"),
        ({"checksum": 1}, {}, "frame 0 is damaged: its checksum is not the one in the index"),
    ],
)
def test_an_index_that_does_not_fit_is_refused_in_a_sentence(file, first, second, said):
    data = bytearray(file.read_bytes())
    for number, changes in enumerate((first, second)):
        for name, value in changes.items():
            place = index_of(data) + 40 * number + 4 * STORED.index(name)
            struct.pack_into("<I", data, place, value % (1 << 32))
    file.write_bytes(sealed(bytes(data)))
    assert said in reason(file)


@pytest.mark.parametrize("offset", [0, 15, 16, 17, 1 << 62, (1 << 64) - 1])
def test_an_index_that_lies_elsewhere_is_refused(file, offset):
    data = bytearray(file.read_bytes())
    struct.pack_into("<Q", data, len(data) - TRAILER.size, offset)
    file.write_bytes(sealed(bytes(data)))
    assert reason(file) == "the index is not where the file says, or not as long as its frames need"


@pytest.mark.parametrize("length", [0, 1, 1 << 20, (1 << 20) + 1, (1 << 32) - 1])
def test_a_header_of_another_length_is_refused(file, length):
    data = bytearray(file.read_bytes())
    struct.pack_into("<I", data, 12, length)
    file.write_bytes(sealed(bytes(data)))
    reason(file)


def test_other_versions_are_named(file):
    data = bytearray(file.read_bytes())
    struct.pack_into("<I", data, 8, 5)
    file.write_bytes(sealed(bytes(data)))
    assert reason(file) == "the certificate has version 5, this Assay reads versions 1, 3 and 4"
    struct.pack_into("<I", data, 8, 2)
    file.write_bytes(sealed(bytes(data)))
    assert reason(file).endswith("reads no longer: have it made again")
    struct.pack_into("<I", data, 8, 3)
    file.write_bytes(sealed(bytes(data)))
    assert reason(file) == (
        "a certificate that says what this header says has version 1, the file says version 3"
    )


def record_of(sections, *, states=1, entries=8, references=8, start_length=1):
    return FrameRecord(
        states, entries, references, *map(len, sections), start_length, zlib.crc32(b"".join(sections))
    )


def compressed(content):
    return zstandard.ZstdCompressor(write_content_size=True).compress(content)


def test_a_section_that_expands_without_bound_takes_no_memory():
    bomb = compressed(bytes(1 << 28))
    sections = [compressed(b"\x00"), compressed(b"\x00"), bomb, compressed(b"\x00"), b""]
    tracemalloc.start()
    try:
        with pytest.raises(CertificateProblem, match=r"a section of 268,435,456 bytes where .* allow 40"):
            decode_frame(0, record_of(sections), b"".join(sections))
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "ids",
    [
        b"no Zstandard",
        compressed(b"\x00")[:-1],
        compressed(b"\x00") + b"\x00",
        compressed(b"\x00") + compressed(b"\x00"),
        zstandard.ZstdCompressor(write_content_size=False).compress(b"\x00"),
        compressed(b""),
        b"\x50\x2a\x4d\x18\x04\x00\x00\x00skip",
    ],
)
def test_a_section_that_is_not_one_whole_frame_is_refused(ids):
    sections = [compressed(b"\x00"), compressed(b"\x00"), ids, compressed(b"\x00"), b""]
    with pytest.raises(CertificateProblem, match="frame 0 "):
        decode_frame(0, record_of(sections), b"".join(sections))


def test_dictionaries_that_are_not_what_the_header_says_are_refused(tmp_path):
    path = write(tmp_path / "figure.assay", coding="small", dictionaries=DICTIONARIES)
    data = path.read_bytes()
    with CertificateFile(path) as file:
        stored, offset = file.stored_dictionaries.content, 16 + len(file.header.as_bytes())

    def said(content):
        file_bytes = bytearray(data[:offset] + content + data[offset + len(stored) :])
        moved = index_of(file_bytes) + len(content) - len(stored)
        struct.pack_into("<Q", file_bytes, len(file_bytes) - TRAILER.size, moved)
        path.write_bytes(sealed(bytes(file_bytes)))
        return reason(path)

    joint = b"".join(DICTIONARIES)
    assert said(b"") == "the frames do not fill the file between header and index"
    assert said(joint) == "the dictionaries cannot be decompressed"
    assert said(stored[:-1]) == "the dictionaries cannot be decompressed"
    assert said(stored + b"\x00") == "the dictionaries cannot be decompressed"
    assert said(compressed(joint + b"\x00")) == "the dictionaries are not as long as the header says"
    assert said(compressed(bytes(1 << 24))) == "the dictionaries are not as long as the header says"
    assert said(bytes(87 + 1025)) == "the dictionaries take 1,112 bytes, more than 87 bytes of content need"


def test_bytes_before_the_frames_need_dictionaries_to_belong_to(file):
    data = file.read_bytes()
    offset = 16 + len(HEADER.as_bytes())
    longer = bytearray(data[:offset] + b"\x00" + data[offset:])
    struct.pack_into("<Q", longer, len(longer) - TRAILER.size, index_of(data) + 1)
    file.write_bytes(sealed(bytes(longer)))
    assert reason(file) == "the frames do not fill the file between header and index"


def test_a_dictionary_is_text_to_refer_to_whatever_it_looks_like(tmp_path):
    trained_by_its_looks = b"\x37\xa4\x30\xec" + bytes(range(100))
    dictionaries = (b"", b"", trained_by_its_looks, b"", b"")
    path = write(tmp_path / "figure.assay", coding="small", dictionaries=dictionaries)
    with CertificateFile(path) as file:
        assert tuple(file.frames()) == FRAMES


def test_a_section_of_an_unknown_dictionary_is_refused():
    dictionary = zstandard.ZstdCompressionDict(bytes(range(200)), dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    ids = zstandard.ZstdCompressor(dict_data=dictionary, write_content_size=True).compress(bytes(range(40)))
    sections = [compressed(b"\x00"), compressed(b"\x00"), ids, compressed(b"\x00"), b""]
    for opened in (StoredDictionaries(), StoredDictionaries((0, 0, 1, 0, 0), compressed(b"\x00"))):
        with pytest.raises(CertificateProblem, match="frame 0 cannot be decompressed"):
            decode_frame(0, record_of(sections), b"".join(sections), opened.opened())


def test_a_content_size_that_lies_is_refused():
    honest = bytearray(compressed(bytes(30)))
    assert zstandard.frame_content_size(bytes(honest)) == 30
    honest[5] = 20
    sections = [compressed(b"\x00"), compressed(b"\x00"), bytes(honest), compressed(b"\x00"), b""]
    with pytest.raises(CertificateProblem, match="frame 0 "):
        decode_frame(0, record_of(sections), b"".join(sections))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400))
def test_bytes_of_nobody_are_refused_in_a_sentence(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "bytes.assay"
    for content in (data, PREAMBLE.pack(b"\x89ASSAY\r\n", 1, min(len(data), 50)) + data):
        path.write_bytes(content)
        assert reason(path)


# --- Headers --------------------------------------------------------------------------------------------


def header_with(**changes):
    data = json.loads(HEADER.as_bytes()) | changes
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}",
        b"[]",
        b"[" * 100_000,
        b"\xff\xfe",
        b'{"format":"assay-certificate"}',
        header_with()[:-1],
        header_with() + b" ",
        b" " + header_with(),
        header_with(format="another"),
        header_with(coding="lzma"),
        header_with(claim="Everything is fine."),
        header_with(more=1),
        header_with(states=0),
        header_with(states=-1),
        header_with(states=1 << 32),
        header_with(states=5.0),
        header_with(states=True),
        header_with(states="5"),
        header_with(states=None),
        header_with(transitions=3),
        header_with(transitions=1 << 48),
        header_with(transitions=1 << 63),
        header_with(references=4),
        header_with(depth=1 << 32),
        header_with(frames=0),
        header_with(frames=(1 << 16) + 1),
        header_with(subgraphs=0),
        header_with(dictionaries=None),
        header_with(dictionaries={}),
        header_with(dictionaries=[0, 0, 0, 0, 0]),
        header_with(dictionaries=[1, 1, 1]),
        header_with(dictionaries=[1, 1, 1, 1, 1, 1]),
        header_with(dictionaries=[1, 1, 1, 1, -1]),
        header_with(dictionaries=[1, 1, 1, 1, (1 << 20) + 1]),
        header_with(dictionaries=[1, 1, 1, 1, True]),
        header_with(dictionaries=[1, 1, 1, 1, 1.0]),
        header_with(sources={}),
        header_with(sources=["figure.pml"]),
        header_with(sources=[{"name": "figure.pml"}]),
        header_with(sources=[{"name": "figure.pml", "sha256": "11" * 32, "more": 1}]),
        header_with(semantics=[]),
        header_with(semantics={"deep": float("nan")}),
        header_with(properties={}),
        header_with(properties={"assertions": True, "deadlock": True, "invariants": []}),
        header_with(properties={"assertions": 1, "deadlock": True, "invariants": [], "step_invariants": []}),
        header_with(
            properties={"assertions": True, "deadlock": True, "invariants": "x", "step_invariants": []}
        ),
        header_with(producer={}),
        header_with(producer={"tool": "assay", "version": "1", "more": "2"}),
        HEADER.as_bytes().replace(b'"tree":"depth-first"', b'"tree":"depth-first","tree":"depth-first"'),
        HEADER.as_bytes().replace(b"figure.pml", b"figure\\ud800.pml"),
        HEADER.as_bytes().replace(b"figure.pml", b"figur\\u0065.pml"),
    ],
)
def test_whatever_is_not_exactly_a_header_is_refused(text):
    with pytest.raises(CertificateProblem):
        Header.from_bytes(text)


def test_a_header_is_its_own_canonical_form():
    name = "Zürich – 北京.pml"
    sources = (Source(name, "11" * 32),)
    unusual = replace(HEADER, program=name, sources=sources, semantics={"a": [1, {"b": None}], "": '\n"\\'})
    assert Header.from_bytes(unusual.as_bytes()) == unusual
    assert header_with() == HEADER.as_bytes()


def test_the_size_of_the_parts_is_that_of_the_specification():
    assert (PREAMBLE.size, RECORD.size, TRAILER.size) == (16, 40, 48)
