"""`keygen`, `sign` and `inspect` on certificates written by hand, frame by frame."""

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random

import click
import pytest
from click.testing import CliRunner

from assay import __version__
from assay._engine import ExplicitGraph
from assay.cli import certificates
from assay.evidence.certificate.container import CertificateFile, CertificateWriter
from assay.evidence.certificate.frames import Frame
from assay.evidence.certificate.header import CertificateProblem, Header, Properties, Source
from assay.report.certificate import read_script
from assay.transition_system.language_options import OptionProblem
from tests.certificates.graph_certificates import certify

# The graph of figure 3.1 of the thesis, read off its printed script: S1 leads to S2 and S4, S2 to S1 and S3,
# S3 to S1, S4 and S5, S4 to S2, S5 to S4. Depth-first, so the tree is S1-S2-S3-{S4, S5}.
FIGURE = Header(
    program="figure.pml",
    language="promela",
    sources=(Source("figure.pml", "11" * 32),),
    semantics={"reductions": ["merging"], "safety_only": False},
    properties=Properties(deadlock=False, invariants=("x < 2",)),
    tree="depth-first",
    states=5,
    transitions=9,
    depth=3,
    frames=1,
    subgraphs=True,
    producer={"tool": "assay", "version": "0.1.0"},
)
WHOLE = Frame(
    states=5,
    entries=9,
    references=5,
    start=b"\x00",
    bits=bytes([0b01101001, 0]),
    ids=b"\x06\x03\x01\x00\x02",
    counts=b"\x02\x01\x00\x02\x00",
    subgraphs=bytes([2, 9, 2, 7, 3, 5, 1, 1, 1, 1]),
)
HALVES = (
    Frame(2, 4, 2, b"\x00", bytes([0b1001]), b"\x06\x03", b"\x02\x01", bytes([2, 9, 2, 7])),
    # S3 is reached over S1 and S2; its parent is in the other frame, so nothing is predicted from it.
    Frame(
        3, 5, 3, b"\x02\x00\x00\x01\x00", b"\x06", b"\x03\x00\x02", b"\x00\x02\x00", bytes([3, 5, 1, 1, 1, 1])
    ),
)
THESIS = """\
Trans instr: - t1 t1 B t2 t1 B t2 t1 B B t3 t1 B B B B t2 B
State ID: S1 S2 S1 S2 S3 S1 S3 S4 S2 S4 S3 S5 S4 S5 S3 S2 S1 S4 S1
"""


def write(path, header, *frames):
    with CertificateWriter(Path(path), header) as writer:
        for frame in frames:
            writer.add(frame)
        writer.finish()
    return path


@pytest.fixture(autouse=True)
def empty_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def figure():
    return write("figure.assay", FIGURE, WHOLE)


def run(command, *arguments):
    """Exit code and output, as `main` gets them."""
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    assert result.stderr == ""
    return result.return_value, result.stdout


def shown(*arguments):
    code, output = run(certificates.inspect, *arguments)
    assert code == 0
    return output


def data(*arguments):
    return json.loads(shown(*arguments, "--json"))


def refusal(*arguments):
    with pytest.raises(CertificateProblem) as caught:
        run(certificates.inspect, *arguments)
    return str(caught.value)


def script_of(output):
    """The rows behind the empty line, columns one space apart as the thesis has them."""
    return "".join(" ".join(line.split()) + "\n" for line in output.partition("\n\n")[2].splitlines())


# --- inspect ---


def test_inspect_says_the_claim_and_where_the_bytes_go(figure):
    size = Path(figure).stat().st_size
    digest = sha256(Path(figure).read_bytes()).hexdigest()
    sections = data(figure)["section_bytes"]
    assert shown(figure) == (
        "In every state that figure.pml (promela) can reach "
        "(at most 5, with 9 transitions), no assertion fails, "
        "`x < 2` holds in every state.\n"
        "  This is what the file claims; whether it is true was not checked.\n"
        "  counts        5 states, 9 transitions, 5 references, depth 3\n"
        f"  size          {size} B, {size / 9:.2f} bytes per transition\n"
        "  sections      "
        + ", ".join(f"{name} {length} B" for name, length in sections.items() if length)
        + "\n"
        "  script        depth-first tree, 1 frame\n"
        "  1 task        the largest has 100.0% of all entries; "
        "paths to their begin: average 0.0, longest 0\n"
        f"  source        figure.pml  SHA-256 {'11' * 32}\n"
        "  semantics     reductions = [merging]\n"
        "  semantics     safety_only = false\n"
        "  property      assertions\n"
        "  property      invariant x < 2\n"
        "  producer      assay 0.1.0\n"
        f"  SHA-256       {digest}\n"
        "  signature     none lies beside the file\n"
    )


def test_inspect_as_json_has_every_fact(figure):
    size = Path(figure).stat().st_size
    found = data(figure)
    sections = found.pop("section_bytes")
    assert list(sections) == [
        "start", "bits", "ids", "counts", "subgraphs", "dictionaries", "header", "index",
    ]  # fmt: skip
    assert sum(sections.values()) == size
    assert sections["header"] == 16 + len(FIGURE.as_bytes())
    assert sections["index"] == 40 + 48
    assert found == {
        "certificate": "figure.assay",
        "claim": FIGURE.claim,
        "program": "figure.pml",
        "language": "promela",
        "sources": [{"name": "figure.pml", "sha256": "11" * 32}],
        "semantics": {"reductions": ["merging"], "safety_only": False},
        "properties": {
            "assertions": True, "deadlock": False, "invariants": ["x < 2"], "step_invariants": [],
        },
        "tree": "depth-first",
        "states": 5,
        "transitions": 9,
        "references": 5,
        "depth": 3,
        "frames": 1,
        "subgraphs": True,
        "moves": False,
        "dictionaries": [],
        "producer": {"tool": "assay", "version": "0.1.0"},
        "sha256": sha256(Path(figure).read_bytes()).hexdigest(),
        "file_bytes": size,
        "bytes_per_transition": size / 9,
        "temporal": None,
        "part_bytes": [],
        "partitions": [{"tasks": 1, "largest_share": 1.0, "average_path": 0.0, "longest_path": 0}],
        "signature": {"file": None, "verified": None, "key_id": None, "problem": None},
        "schema": 1,
        "version": __version__,
    }  # fmt: skip


def chain(states, per_frame):
    """A program that goes straight on: each frame begins after a path through all states before it."""
    frames = []
    for first in range(0, states, per_frame):
        entries = per_frame if first + per_frame < states else per_frame - 1
        length = bytes([first]) if first < 128 else bytes([first & 0x7F | 0x80, first >> 7])
        frames.append(
            Frame(
                per_frame,
                entries,
                0,
                start=length + b"\x00\x00" * first,
                bits=((1 << entries) - 1).to_bytes((entries + 7) // 8, "little"),
                ids=b"",
                counts=bytes(per_frame),
            )
        )
    header = replace(
        FIGURE, states=states, transitions=states - 1, depth=states - 1, frames=len(frames), subgraphs=False
    )
    return write("chain.assay", header, *frames)


def test_inspect_says_how_a_script_divides_into_tasks():
    figures = data(chain(200, 10))["partitions"]
    assert figures == [
        {"tasks": 10, "largest_share": 20 / 199, "average_path": 90.0, "longest_path": 180},
        {"tasks": 20, "largest_share": 10 / 199, "average_path": 95.0, "longest_path": 190},
    ]
    assert data("chain.assay", "--tasks", "1", "--tasks", "3")["partitions"] == [
        {"tasks": 1, "largest_share": 1.0, "average_path": 0.0, "longest_path": 0},
        {"tasks": 3, "largest_share": 70 / 199, "average_path": (0 + 60 + 130) / 3, "longest_path": 130},
    ]
    assert (
        "  10 tasks      the largest has 10.1% of all entries; "
        "paths to their begin: average 90.0, longest 180\n"
    ) in shown("chain.assay")


def test_a_program_without_steps_has_no_bytes_per_transition():
    header = replace(FIGURE, states=1, transitions=0, depth=0, subgraphs=False)
    write("still.assay", header, Frame(1, 0, 0, b"\x00", b"", b"", b"\x00"))
    assert data("still.assay")["bytes_per_transition"] is None
    assert data("still.assay")["partitions"][0]["largest_share"] == 0.0
    assert "bytes per transition" not in shown("still.assay")


def test_a_claim_cannot_steer_the_terminal():
    name = "\x1b[2Jall\u202ewell\n.pml"
    header = replace(
        FIGURE, program=name, sources=(Source(name, "11" * 32), Source("\x1b]0;x\x07", "22" * 32))
    )
    output = shown(write("hostile.assay", header, WHOLE))
    assert 'that "\\u001b[2Jall\\u202ewell\\n.pml" (promela)' in output
    assert f"source        \\x1b]0;x\\x07  SHA-256 {'22' * 32}\n" in output
    assert "\x1b" not in output


def test_inspect_refuses_what_is_no_certificate():
    Path("text").write_text("x" * 100)
    assert refusal("text") == "the file is not a certificate: it does not begin like one"
    with pytest.raises(click.ClickException, match="'none' does not exist"):
        run(certificates.inspect, "none")


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        (b"", "the start of frame 0 ends in the middle of a number"),
        (b"\x80", "the start of frame 0 ends in the middle of a number"),
        (b"\x80" * 9, "the start of frame 0 has a number that is too long"),
    ],
)
def test_inspect_refuses_a_start_without_a_length(start, sentence):
    assert refusal(write("bad.assay", FIGURE, replace(WHOLE, start=start))) == sentence


def test_inspect_does_not_unpack_more_than_it_needs():
    bomb = replace(WHOLE, start=b"\x05" + bytes(200_000_000))
    write("bomb.assay", FIGURE, bomb)
    assert refusal("bomb.assay") == (
        "frame 0 claims a start section of 200,000,001 bytes, which no path before it can need"
    )


# --- the script ---


@pytest.mark.parametrize("frames", [(WHOLE,), HALVES], ids=["one frame", "two frames"])
def test_the_script_of_figure_3_1_is_that_of_the_thesis(frames):
    name = write("figure.assay", replace(FIGURE, frames=len(frames)), *frames)
    assert script_of(shown(name, "--script")) == THESIS


def test_the_script_is_printed_in_columns(figure):
    assert shown(figure, "--script").partition("\n\n")[2] == (
        "Trans instr:  -  t1 t1 B  t2 t1 B  t2 t1 B  B  t3 t1 B  B  B  B  t2 B\n"
        "State ID:     S1 S2 S1 S2 S3 S1 S3 S4 S2 S4 S3 S5 S4 S5 S3 S2 S1 S4 S1\n"
    )


def test_the_script_as_json_is_a_list_of_moves(figure):
    script = data(figure, "--script")["script"]
    assert len(script) == 19
    assert script[:3] == [
        {"instruction": "-", "state": "S1", "statement": ""},
        {"instruction": "t1", "state": "S2", "statement": ""},
        {"instruction": "t1", "state": "S1", "statement": ""},
    ]
    assert " ".join(move["instruction"] for move in script) == THESIS.splitlines()[0].partition(": ")[2]
    assert " ".join(move["state"] for move in script) == THESIS.splitlines()[1].partition(": ")[2]


def test_a_long_script_is_folded():
    header = replace(FIGURE, states=60, transitions=59, depth=59)
    counts = b"".join(bytes([int(y < 59), 59 - y]) for y in range(60))
    name = write(
        "chain.assay", header, Frame(60, 59, 0, b"\x00", b"\xff" * 7 + b"\x07", b"", bytes(60), counts)
    )
    blocks = shown(name, "--script").split("\n\n")[1:]
    assert len(blocks) == 5
    assert all(len(line) <= 120 for block in blocks for line in block.splitlines())
    assert blocks[0].splitlines()[1].split()[:5] == ["State", "ID:", "S1", "S2", "S3"]
    assert blocks[-1].split()[-1] == "S1"


def test_a_script_needs_the_program_or_the_subgraphs():
    name = write("plain.assay", replace(FIGURE, subgraphs=False), replace(WHOLE, subgraphs=b""))
    assert refusal(name, "--script") == (
        "this certificate does not say how many successors each state has; give the program too: "
        "--program PROGRAM"
    )


def test_a_program_without_the_wish_for_a_script_is_a_mistake(figure):
    with pytest.raises(click.UsageError, match="--program is needed for --script alone"):
        run(certificates.inspect, figure, "--program", figure)


def test_a_long_script_is_not_for_reading():
    header = replace(FIGURE, states=1, transitions=5_001, depth=0, subgraphs=False)
    frame = Frame(1, 5_001, 5_001, b"\x00", bytes(626), bytes(5_001), b"\x89\x27")
    assert refusal(write("large.assay", header, frame), "--script") == (
        "a script of 5,001 entries is not for reading; at most 5,000 are printed"
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"subgraphs": bytes([2, 9, 8, 7, 3, 5, 1, 1, 1, 1])},
         "state S2 has more successors than frame 0 has entries"),
        ({"subgraphs": bytes([2, 9, 2, 7, 3, 5, 1, 1, 0, 0])},
         "frame 0 has more entries than its states have successors"),
        ({"subgraphs": bytes([2, 9, 2, 7])},
         "the list of subgraphs in frame 0 ends in the middle of a number"),
        ({"subgraphs": b"\xff" * 8}, "the list of subgraphs in frame 0 has a number that is too long"),
        ({"ids": b"\x0a\x03\x01\x00\x02"}, "state S1 has a reference to a state that does not exist"),
        ({"ids": b"\x01\x03\x01\x00\x02"}, "state S1 has a reference to a state that does not exist"),
        ({"ids": b"\x06\x03"}, "the list of references in frame 0 ends in the middle of a number"),
        ({"bits": b"\x00\x00", "ids": bytes(5)}, "the tree ends before state S2"),
        ({"ids": b"\x06\x03\x01\x00\x02\x00"},
         "the list of references in frame 0 goes on after its last number"),
        ({"subgraphs": WHOLE.subgraphs + b"\x00"},
         "the list of subgraphs in frame 0 goes on after its last number"),
        ({"bits": b"\xff\x01", "ids": b""}, "the tree goes on after state S5"),
    ],
)  # fmt: skip
def test_a_script_that_does_not_hold_together_is_refused(changes, sentence):
    assert refusal(write("bad.assay", FIGURE, replace(WHOLE, **changes)), "--script") == sentence


@pytest.mark.parametrize("tree", ["breadth-first", "depth-first"])
@pytest.mark.parametrize("frames", [1, 3])
def test_every_script_is_read_as_it_was_written(tree, frames):
    for seed in range(20):
        random = Random(seed)
        nodes = [number.to_bytes(8, "little") for number in range(1, 31)]
        edges = [[(random.randrange(30), 0) for _ in range(random.randrange(5))] for _ in nodes]
        model = ExplicitGraph(nodes, edges, [True] * 30, [0] * 30)
        made = certify(model, tree=tree, frames=frames, subgraphs=True)
        counts = {name: made.header[name] for name in ("states", "transitions", "depth", "frames")}
        others = {"excesses", "moves"}  # in the place of the list of subgraphs
        sections = [name for name in Frame.__slots__ if name not in others]
        content = ({name: getattr(frame, name) for name in sections} for frame in made.raw_frames())
        write("random.assay", replace(FIGURE, **counts), *(Frame(**one) for one in content))
        with CertificateFile(Path("random.assay")) as file:
            assert read_script(file, None).script.entries == tuple(map(tuple, made.entries))


def counter_certificate(text="LAST=2"):
    """The counter goes from 0 to 1 or 2, from 1 to 2, and stays at 2; depth-first."""
    Path("model.counter").write_text(text)
    header = replace(
        FIGURE,
        program="model.counter",
        language="counter",
        sources=(Source("model.counter", sha256(text.encode()).hexdigest()),),
        states=3,
        transitions=4,
        depth=2,
        subgraphs=False,
    )
    # 0: TREE 1, REF 2; 1: TREE 2; 2: REF 2, predicted from 1's step to it as 3.
    return write("counter.assay", header, Frame(3, 4, 2, b"\x00", b"\x05", b"\x04\x01", b"\x00\x00\x02"))


@pytest.mark.usefixtures("counter_language")
def test_with_the_program_the_script_has_its_statements():
    name = counter_certificate()
    assert shown(name, "--script", "--program", "model.counter").partition("\n\n")[2] == (
        "Trans instr:  -  t1                     t1                     t1                     "
        "B  B  B  t2                     B\n"
        "State ID:     S1 S2                     S3                     S3                     "
        "S3 S2 S1 S3                     S1\n"
        "Statement:       counter[0] number += 1 counter[0] number += 1 counter[0] number += 0 "
        "         counter[0] number += 2\n"
    )
    assert data(name, "--script", "--program", "model.counter")["script"][1] == {
        "instruction": "t1", "state": "S2", "statement": "counter[0] number += 1",
    }  # fmt: skip


@pytest.mark.usefixtures("counter_language")
def test_another_program_is_refused():
    name = counter_certificate()
    Path("model.counter").write_text("LAST=3")
    assert refusal(name, "--script", "--program", "model.counter") == (
        "the certificate is about another program: model.counter as given is not what it was made from"
    )


@pytest.mark.usefixtures("counter_language")
def test_a_script_that_does_not_fit_the_program_is_refused():
    name = counter_certificate("LAST=1")
    assert refusal(name, "--script", "--program", "model.counter") == (
        "state S2 has a reference to a state that does not exist"
    )


# --- keys and signatures ---


def make_keys():
    return run(certificates.keygen, "--private", "key.pem", "--public", "key.pub", "--json")


def test_keys_are_made_and_named():
    code, output = run(certificates.keygen, "--private", "key.pem", "--public", "key.pub")
    assert code == 0
    first, second = output.splitlines()
    assert first.startswith("key ")
    assert len(first) == len("key ") + 64
    assert second == "  keep key.pem secret; give key.pub to those who shall check your signatures"


def test_keygen_does_not_overwrite():
    make_keys()
    with pytest.raises(
        click.ClickException, match=r"^key\.pem exists already, and keys are never overwritten$"
    ):
        make_keys()


def test_a_certificate_is_signed_and_inspect_verifies_it(figure):
    key = json.loads(make_keys()[1])
    assert key.keys() == {"schema", "key_id", "private", "public", "version"}
    code, output = run(certificates.sign, figure, "--key", "key.pem")
    assert code == 0
    assert output == (
        f"signed  figure.assay: {FIGURE.claim}\n  by key {key['key_id']}, saved as figure.assay.sig\n"
    )
    assert data(figure)["signature"] == {
        "file": "figure.assay.sig", "verified": None, "key_id": None, "problem": None,
    }  # fmt: skip
    assert data(figure, "--key", "key.pub")["signature"] == {
        "file": "figure.assay.sig", "verified": True, "key_id": key["key_id"], "problem": None,
    }  # fmt: skip
    assert shown(figure).endswith("  signature     figure.assay.sig, not checked; --key PUBLIC checks it\n")
    assert shown(figure, "--key", "key.pub").endswith(
        f"  signature     figure.assay.sig, verified with key {key['key_id']}\n"
    )


def test_signing_as_json_names_the_envelope(figure):
    key = json.loads(make_keys()[1])
    code, output = run(certificates.sign, figure, "--key", "key.pem", "--output", "other.sig", "--json")
    assert code == 0
    assert json.loads(output) == {
        "envelope": "other.sig",
        "key_id": key["key_id"],
        "certificate": "figure.assay",
        "sha256": sha256(Path(figure).read_bytes()).hexdigest(),
        "claim": FIGURE.claim,
        "schema": 1,
        "version": __version__,
    }
    assert Path("other.sig").exists()
    assert not Path("figure.assay.sig").exists()


def test_inspect_with_a_key_fails_without_a_signature_by_it(figure):
    make_keys()
    code, output = run(certificates.inspect, figure, "--key", "key.pub")
    assert code == 4
    assert output.endswith(
        "  signature     not verified: figure.assay.sig cannot be read: No such file or directory\n"
    )
    run(certificates.sign, figure, "--key", "key.pem")
    write(figure, replace(FIGURE, depth=4), WHOLE)
    code, output = run(certificates.inspect, figure, "--key", "key.pub", "--json")
    assert code == 4
    signature = json.loads(output)["signature"]
    assert signature["verified"] is False
    assert signature["problem"].startswith("the signature is about another file: one with SHA-256 '")


def test_signing_with_the_wrong_key_is_a_sentence(figure):
    make_keys()
    with pytest.raises(click.ClickException, match=r"^key\.pub holds no private key in PEM; `assay keygen`"):
        run(certificates.sign, figure, "--key", "key.pub")


def test_only_certificates_are_signed():
    make_keys()
    with pytest.raises(CertificateProblem, match="does not begin like one"):
        run(certificates.sign, write_text("model.assay", "x" * 100), "--key", "key.pem")
    with pytest.raises(OptionProblem, match="is a program"):
        run(certificates.sign, write_text("model.pml", "x" * 100), "--key", "key.pem")


def write_text(name, text):
    Path(name).write_text(text)
    return name
