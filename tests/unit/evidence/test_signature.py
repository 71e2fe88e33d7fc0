"""Signatures: a round trip, the exact statement, and every way in which an envelope can be wrong."""

import base64
import json
import os
import shutil
import stat
import subprocess
from dataclasses import replace
from hashlib import sha256

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey

from assay.evidence import signature
from assay.evidence.certificate.container import CertificateFile, CertificateWriter
from assay.evidence.certificate.frames import Frame
from assay.evidence.certificate.header import CertificateProblem, Header, Properties, Source
from assay.evidence.signature import SignatureProblem, generate_keys, sign, verify

HEADER = Header(
    program="light.pml",
    language="promela",
    sources=(Source("light.pml", "11" * 32), Source("common.h", "22" * 32)),
    semantics={"reductions": ["merging"], "version": 1},
    properties=Properties(deadlock=True, invariants=("x < 2",)),
    states=1,
    transitions=1,
    depth=0,
    frames=1,
    producer={"tool": "assay", "version": "0.1.0"},
)


def write_certificate(path, header=HEADER):
    """One state with a step to itself."""
    with CertificateWriter(path, header) as writer:
        writer.add(Frame(1, 1, 1, start=b"\x00", bits=b"\x00", ids=b"\x00", counts=b"\x01"))
        writer.finish()


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A directory with a certificate, its envelope and the keys; sentences name files as given."""
    monkeypatch.chdir(tmp_path)
    paths = type(tmp_path)
    write_certificate(paths("light.assay"))
    generate_keys(paths("key.pem"), paths("key.pub"))
    sign(paths("light.assay"), paths("key.pem"), paths("light.assay.sig"))
    return paths


def check(place, *keys):
    with CertificateFile(place("light.assay")) as file:
        return verify(file, place("light.assay.sig"), [place(key) for key in keys or ("key.pub",)])


def refusal(place, *keys):
    with pytest.raises(SignatureProblem) as caught:
        check(place, *keys)
    return str(caught.value)


def change_envelope(place, **changes):
    envelope = json.loads(place("light.assay.sig").read_text()) | changes
    place("light.assay.sig").write_text(json.dumps(envelope))


def sign_payload(place, payload, payload_type=signature.PAYLOAD_TYPE):
    """Signs anything at all with the right key, as a careless or hostile signer may."""
    key = serialization.load_pem_private_key(place("key.pem").read_bytes(), None)
    change_envelope(
        place,
        payload=base64.b64encode(payload).decode(),
        payloadType=payload_type,
        signatures=[{"sig": base64.b64encode(key.sign(signature.encode(payload_type, payload))).decode()}],
    )


def public_key(place, name="key.pub"):
    return serialization.load_pem_public_key(place(name).read_bytes())


def signed_statement(place):
    return json.loads(base64.b64decode(json.loads(place("light.assay.sig").read_text())["payload"]))


def test_a_signature_that_was_made_verifies_and_says_by_whom_and_what(place):
    found = check(place)
    assert found == signature.Signature(
        key_id=SSlibKey.from_crypto(public_key(place)).keyid,
        certificate="light.assay",
        sha256=sha256(place("light.assay").read_bytes()).hexdigest(),
        claim="In every state that light.pml (promela) can reach "
        "(at most 1, with 1 transitions), no assertion fails, "
        "no state is a deadlock, `x < 2` holds in every state.",
    )


def test_the_statement_is_exactly_the_documented_one(place):
    assert signed_statement(place) == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            {
                "name": "light.assay",
                "digest": {"sha256": sha256(place("light.assay").read_bytes()).hexdigest()},
            },
            {"name": "light.pml", "digest": {"sha256": "11" * 32}},
            {"name": "common.h", "digest": {"sha256": "22" * 32}},
        ],
        "predicateType": "urn:assay:certificate:v1",
        "predicate": {
            "claim": HEADER.claim,
            "program": "light.pml",
            "language": "promela",
            "semantics": {"reductions": ["merging"], "version": 1},
            "properties": {
                "assertions": True, "deadlock": True, "invariants": ["x < 2"], "step_invariants": [],
            },
            "states": 1,
            "transitions": 1,
            "producer": {"tool": "assay", "version": "0.1.0"},
        },
    }  # fmt: skip


def test_the_encoding_is_that_of_the_dsse_specification():
    assert (
        signature.encode("http://example.com/HelloWorld", b"hello world")
        == b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )


def test_the_envelope_has_the_keys_of_dsse_and_the_key_id(place):
    envelope = json.loads(place("light.assay.sig").read_text())
    assert envelope.keys() == {"payload", "payloadType", "signatures"}
    assert envelope["payloadType"] == "application/vnd.in-toto+json"
    ids = [entry["keyid"] for entry in envelope["signatures"]]
    assert ids == [check(place).key_id, signature.fingerprint(public_key(place))]


def test_signing_twice_gives_the_same_bytes(place):
    before = place("light.assay.sig").read_bytes()
    sign(place("light.assay"), place("key.pem"), place("light.assay.sig"))
    assert place("light.assay.sig").read_bytes() == before


def test_a_renamed_certificate_keeps_its_signature(place):
    place("light.assay").rename("renamed.assay")
    with CertificateFile(place("renamed.assay")) as file:
        found = verify(file, place("light.assay.sig"), [place("key.pub")])
    assert found.certificate == "light.assay"


def test_one_of_several_keys_and_one_of_several_signatures_is_enough(place):
    generate_keys(place("other.pem"), place("other.pub"))
    own = json.loads(place("light.assay.sig").read_text())["signatures"]
    sign(place("light.assay"), place("other.pem"), place("other.sig"))
    other = json.loads(place("other.sig").read_text())["signatures"]
    change_envelope(place, signatures=other + own)
    identity = own[0]["keyid"]
    assert check(place).key_id == identity
    assert check(place, "key.pub", "other.pub").key_id == identity
    assert check(place, "other.pub").key_id == other[0]["keyid"]


def test_base64_for_addresses_is_read_too(place):
    envelope = json.loads(place("light.assay.sig").read_text())
    entry = envelope["signatures"][0]
    change_envelope(
        place,
        payload=envelope["payload"].replace("+", "-").replace("/", "_"),
        signatures=[{"sig": entry["sig"].replace("+", "-").replace("/", "_")}],
    )
    assert check(place).claim == HEADER.claim


def test_a_key_id_in_the_envelope_decides_nothing(place):
    own = check(place).key_id
    generate_keys(place("other.pem"), place("other.pub"))
    sign(place("light.assay"), place("other.pem"), place("light.assay.sig"))
    entry = json.loads(place("light.assay.sig").read_text())["signatures"][0]
    change_envelope(place, signatures=[entry | {"keyid": own}])
    assert refusal(place) == f"no signature in light.assay.sig is by a given key ({own[:16]})"


# --- keys ---


def test_the_private_key_is_for_its_owner_alone(place):
    assert stat.S_IMODE(place("key.pem").stat().st_mode) == 0o600
    assert place("key.pem").read_text().startswith("-----BEGIN PRIVATE KEY-----\n")
    assert place("key.pub").read_text().startswith("-----BEGIN PUBLIC KEY-----\n")


@pytest.mark.parametrize(("private", "public"), [("key.pem", "new.pub"), ("new.pem", "key.pub")])
def test_keys_are_never_overwritten(place, private, public):
    before = {name: place(name).read_bytes() for name in ("key.pem", "key.pub")}
    existing = private if private == "key.pem" else public
    with pytest.raises(
        SignatureProblem, match=f"^{existing} exists already, and keys are never overwritten$"
    ):
        generate_keys(place(private), place(public))
    assert {name: place(name).read_bytes() for name in before} == before
    assert not place("new.pem").exists()
    assert not place("new.pub").exists()


def test_two_keys_need_two_files(place):
    with pytest.raises(SignatureProblem, match=r"^the two keys need two files, both would be one$"):
        generate_keys(place("one"), place("one"))
    assert not place("one").exists()


def test_keys_that_cannot_be_written_are_a_sentence(place):
    with pytest.raises(SignatureProblem, match=r"^nowhere/key cannot be written: No such file or directory$"):
        generate_keys(place("nowhere/key"), place("x"))


def encrypted(key):
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"secret"),
    )


def unencrypted(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"nonsense", "other holds no private key in PEM; `assay keygen` makes one"),
        (encrypted(Ed25519PrivateKey.generate()), "the key in other is encrypted; decrypt it first"),
        (
            unencrypted(generate_private_key(SECP256R1())),
            "the key in other is not an Ed25519 key; `assay keygen` makes one",
        ),
        (b"x" * 65_537, "other is longer than 65,536 bytes, too long for a key"),
    ],
)
def test_signing_needs_an_ed25519_key(place, content, sentence):
    place("other").write_bytes(content)
    with pytest.raises(SignatureProblem) as caught:
        sign(place("light.assay"), place("other"), place("new.sig"))
    assert str(caught.value) == sentence
    assert not place("new.sig").exists()


@pytest.mark.parametrize("precious", ["light.assay", "key.pem"])
def test_an_envelope_never_replaces_what_it_is_made_from(place, precious):
    before = place(precious).read_bytes()
    with pytest.raises(SignatureProblem, match=f"^the envelope would overwrite {precious}$"):
        sign(place("light.assay"), place("key.pem"), place(precious))
    assert place(precious).read_bytes() == before


def test_only_a_certificate_can_be_signed(place):
    place("light.assay").write_bytes(place("light.assay").read_bytes()[:-1])
    with pytest.raises(CertificateProblem):
        sign(place("light.assay"), place("key.pem"), place("new.sig"))
    assert not place("new.sig").exists()


def test_verifying_needs_public_keys(place):
    without_keys = pytest.raises(SignatureProblem, match=r"^no public key was given to check the signature")
    with CertificateFile(place("light.assay")) as file, without_keys:
        verify(file, place("light.assay.sig"), [])
    assert refusal(place, "key.pem") == "key.pem holds no public key in PEM"
    assert refusal(place, "none.pub") == "none.pub cannot be read: No such file or directory"
    place("curve.pub").write_bytes(
        generate_private_key(SECP256R1())
        .public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    )
    assert refusal(place, "curve.pub") == "the key in curve.pub is not an Ed25519 key"


# --- envelopes ---


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "light.assay.sig is not JSON"),
        (b"\xff\xfe{", "light.assay.sig is not JSON"),
        (b"[" * 100_000, "light.assay.sig is not JSON"),
        (b"[1]", "light.assay.sig is not a JSON object"),
        (
            b"{}",
            "light.assay.sig holds no in-toto statement: its payload type is no text but NoneType",
        ),
        (
            b" " * (1 << 20) + b"{}",
            "light.assay.sig is longer than 1,048,576 bytes, too long for an envelope",
        ),
    ],
)
def test_a_file_that_is_no_envelope_is_refused(place, content, sentence):
    place("light.assay.sig").write_bytes(content)
    assert refusal(place) == sentence


def test_a_missing_envelope_is_a_sentence(place):
    place("light.assay.sig").unlink()
    assert refusal(place) == "light.assay.sig cannot be read: No such file or directory"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"payload": 7}, "the payload of light.assay.sig is not a text"),
        ({"payload": "a*b"}, "the payload of light.assay.sig is not base64"),
        ({"payload": "\ud800"}, "the payload of light.assay.sig is not base64"),
        ({"signatures": []}, "light.assay.sig has no list of signatures"),
        ({"signatures": {"sig": ""}}, "light.assay.sig has no list of signatures"),
        ({"signatures": ["x"]}, "a signature in light.assay.sig is not a JSON object"),
        ({"signatures": [{"sig": None}]}, "a signature in light.assay.sig is not a text"),
        ({"signatures": [{"sig": "?"}]}, "a signature in light.assay.sig is not base64"),
        ({"signatures": [{"sig": ""}] * 101}, "light.assay.sig has 101 signatures, more than 100"),
        (
            {"payloadType": "text/\x1b[31mplain"},
            "light.assay.sig holds no in-toto statement: its payload type is 'text/\\x1b[31mplain'",
        ),
        (
            {"payloadType": "x" * 1000},
            f"light.assay.sig holds no in-toto statement: its payload type is '{'x' * 79}...",
        ),
    ],
)
def test_a_misshapen_envelope_is_refused(place, changes, sentence):
    change_envelope(place, **changes)
    assert refusal(place) == sentence


def test_every_changed_bit_of_payload_and_signature_is_noticed(place):
    envelope = json.loads(place("light.assay.sig").read_text())
    payload = base64.b64decode(envelope["payload"])
    signed = base64.b64decode(envelope["signatures"][0]["sig"])
    assert len(signed) == 64
    for position in range(len(payload)):
        changed = payload[:position] + bytes([payload[position] ^ 1]) + payload[position + 1 :]
        change_envelope(place, payload=base64.b64encode(changed).decode())
        assert refusal(place).startswith("no signature in light.assay.sig is by a given key (")
    change_envelope(place, **envelope)
    for position in range(64):
        changed = signed[:position] + bytes([signed[position] ^ 1]) + signed[position + 1 :]
        change_envelope(place, signatures=[{"sig": base64.b64encode(changed).decode()}])
        assert refusal(place).startswith("no signature in light.assay.sig is by a given key (")


@pytest.mark.parametrize("signed", [b"", b"x" * 63, b"x" * 64, b"x" * 65, b"\x00" * 64])
def test_a_signature_of_any_length_that_is_none_is_refused(place, signed):
    change_envelope(place, signatures=[{"sig": base64.b64encode(signed).decode()}])
    assert refusal(place).startswith("no signature in light.assay.sig is by a given key (")


def test_a_signature_by_somebody_else_is_refused(place):
    other = generate_keys(place("other.pem"), place("other.pub"))
    assert refusal(place, "other.pub") == f"no signature in light.assay.sig is by a given key ({other[:16]})"


def test_a_signature_over_another_payload_type_is_refused(place):
    envelope = json.loads(place("light.assay.sig").read_text())
    sign_payload(place, base64.b64decode(envelope["payload"]), "text/plain")
    change_envelope(place, payloadType=signature.PAYLOAD_TYPE)
    assert refusal(place).startswith("no signature in light.assay.sig is by a given key (")


# --- statements, rightly signed, that are not about this certificate ---


def test_a_signature_for_another_certificate_is_refused(place):
    before = check(place).sha256
    write_certificate(place("light.assay"), replace(HEADER, depth=1))
    after = sha256(place("light.assay").read_bytes()).hexdigest()
    assert refusal(place) == (
        f"the signature is about another file: one with SHA-256 '{before}', this certificate has {after}"
    )


def test_a_damaged_certificate_is_refused_before_its_signature_counts(place):
    content = bytearray(place("light.assay").read_bytes())
    content[-60] ^= 1
    place("light.assay").write_bytes(content)
    with pytest.raises(CertificateProblem, match="damaged"):
        check(place)


@pytest.mark.parametrize(
    ("payload", "sentence"),
    [
        (b"not JSON", "the signed statement is not JSON"),
        (b"[]", "the signed statement is not a JSON object"),
        (b"{}", "what is signed is not an in-toto statement, version 1, but no text but NoneType"),
    ],
)
def test_a_payload_that_is_no_statement_is_refused(place, payload, sentence):
    sign_payload(place, payload)
    assert refusal(place) == sentence


def set_at(data, path, value):
    for key in path[:-1]:
        data = data[key]
    if value is ...:
        del data[path[-1]]
    else:
        data[path[-1]] = value


HEADER_SENTENCE = "the signed statement does not match the certificate's header in '{}'"


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        (
            ["_type"],
            "https://in-toto.io/Statement/v0.1",
            "what is signed is not an in-toto statement, version 1, but 'https://in-toto.io/Statement/v0.1'",
        ),
        (
            ["predicateType"],
            "https://slsa.dev/provenance/v1",
            "the signed statement is not about a certificate: "
            "its predicate type is 'https://slsa.dev/provenance/v1'",
        ),
        (["subject"], [], "the signed statement has no list of subjects"),
        (["subject"], {"name": "x"}, "the signed statement has no list of subjects"),
        (["subject", 0], "light.assay", "the first subject of the signed statement is not a JSON object"),
        (["subject", 0, "digest"], "11", "the digest in the signed statement is not a JSON object"),
        (
            ["subject", 0, "digest"],
            {"sha1": "11"},
            "the signed statement does not name a file with its SHA-256",
        ),
        (["subject", 0, "name"], 1, "the signed statement does not name a file with its SHA-256"),
        (
            ["subject", 1, "digest", "sha256"],
            "33" * 32,
            "the signed statement names other sources than the certificate's header",
        ),
        (["subject", 2], ..., "the signed statement names other sources than the certificate's header"),
        (["predicate"], ..., "the predicate of the signed statement is not a JSON object"),
        (["predicate", "claim"], "All is well.", HEADER_SENTENCE.format("claim")),
        (["predicate", "language"], ..., HEADER_SENTENCE.format("language")),
        (["predicate", "program"], "other.pml", HEADER_SENTENCE.format("program")),
        (["predicate", "semantics", "reductions"], [], HEADER_SENTENCE.format("semantics")),
        (["predicate", "properties", "deadlock"], 1, HEADER_SENTENCE.format("properties")),
        (["predicate", "properties", "invariants"], ["x < 1"], HEADER_SENTENCE.format("properties")),
        (["predicate", "states"], True, HEADER_SENTENCE.format("states")),
        (["predicate", "transitions"], 1.0, HEADER_SENTENCE.format("transitions")),
        (["predicate", "producer", "version"], "9", HEADER_SENTENCE.format("producer")),
        (["predicate", "approved"], True, HEADER_SENTENCE.format("approved")),
        (["approved"], True, "the signed statement says more than a statement may: 'approved'"),
        (
            ["subject", 0, "digest", "sha1"],
            "11",
            "the signed statement names other sources than the certificate's header",
        ),
    ],
)
def test_a_statement_that_does_not_match_the_certificate_is_refused(place, path, value, sentence):
    data = signed_statement(place)
    set_at(data, path, value)
    sign_payload(place, json.dumps(data).encode())
    assert refusal(place) == sentence


def test_a_statement_may_be_spaced_and_ordered_as_its_signer_likes(place):
    data = signed_statement(place)
    sign_payload(place, json.dumps(dict(reversed(data.items())), indent=4).encode())
    assert check(place).certificate == "light.assay"


@pytest.mark.parametrize("what", ["states", "predicate", "_type"])
def test_a_statement_that_says_something_twice_is_refused(place, what):
    payload = json.dumps(signed_statement(place)).encode()
    value = {"states": b"1", "predicate": b"{}", "_type": b'"x"'}[what]
    key = b'"%s":' % what.encode()
    sign_payload(place, payload.replace(key, key + b" " + value + b", " + key, 1))
    assert refusal(place) == f"the signed statement has the key '{what}' twice"


def test_an_envelope_that_says_something_twice_is_refused(place):
    text = place("light.assay.sig").read_text()
    place("light.assay.sig").write_text(text.replace('"payload":', '"payload": "", "payload":', 1))
    assert refusal(place) == "light.assay.sig has the key 'payload' twice"


# --- other people's programs ---


def test_securesystemslib_verifies_an_envelope_with_the_public_key_alone(place):
    envelope = Envelope.from_dict(json.loads(place("light.assay.sig").read_text()))
    key = SSlibKey.from_crypto(public_key(place))
    assert envelope.verify([key], 1) == {check(place).key_id: key}
    generate_keys(place("other.pem"), place("other.pub"))
    with pytest.raises(VerificationError):
        envelope.verify([SSlibKey.from_crypto(public_key(place, "other.pub"))], 1)


def test_an_envelope_that_securesystemslib_signed_verifies_here(place):
    from securesystemslib.signer import CryptoSigner

    key = serialization.load_pem_private_key(place("key.pem").read_bytes(), None)
    payload = base64.b64decode(json.loads(place("light.assay.sig").read_text())["payload"])
    envelope = Envelope(payload, signature.PAYLOAD_TYPE, {})
    envelope.sign(CryptoSigner(key))
    place("light.assay.sig").write_text(json.dumps(envelope.to_dict()))
    assert check(place).key_id == SSlibKey.from_crypto(public_key(place)).keyid


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="OpenSSH is not installed")
def test_the_second_id_is_the_fingerprint_of_openssh(place):
    line = public_key(place).public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    place("ssh.pub").write_bytes(line)
    said = subprocess.run(["ssh-keygen", "-lf", "ssh.pub"], capture_output=True, text=True, check=True).stdout
    assert said.split()[1] == signature.fingerprint(public_key(place))


def test_a_verifier_in_go_takes_the_signature_under_the_id_that_it_computes(place):
    """Its rule, in one loop: an entry counts if it has no id or the fingerprint of the key."""
    envelope = json.loads(place("light.assay.sig").read_text())
    wanted = signature.fingerprint(public_key(place))
    (entry,) = [entry for entry in envelope["signatures"] if entry["keyid"] in {"", wanted}]
    signed = signature.encode(envelope["payloadType"], base64.b64decode(envelope["payload"]))
    public_key(place).verify(base64.b64decode(entry["sig"]), signed)


def test_a_pipe_is_no_key_and_no_envelope(place):
    os.mkfifo("pipe")
    assert refusal(place, "pipe") == "pipe cannot be read: it is no regular file"
    place("light.assay.sig").unlink()
    os.mkfifo("light.assay.sig")
    assert refusal(place) == "light.assay.sig cannot be read: it is no regular file"
