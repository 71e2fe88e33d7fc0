"""Who stands behind a certificate: an Ed25519 signature in a DSSE envelope (docs/signing.md).

The envelope carries an in-toto statement about the certificate file and the
program's sources, so that ordinary supply-chain tools can carry and check it.
A signature says who made the claim, never that it is true: only certification
says that. An envelope comes from a stranger until its signature was checked;
its size and every type in it are checked before anything is believed.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from assay.evidence.certificate.container import CertificateFile
from assay.evidence.certificate.header import Header
from assay.evidence.certificate.invariant_file import InvariantFile, InvariantHeader, is_invariant_file
from assay.evidence.reading import read_regular_file
from assay.records import dataclass

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:assay:certificate:v1"

MAX_ENVELOPE_BYTES = 1 << 20
MAX_KEY_BYTES = 1 << 16
MAX_SIGNATURES = 100
CHARACTERS_SHOWN = 80


class SignatureProblem(Exception):
    """A key or an envelope that cannot be used, or does not fit the certificate, in one sentence."""


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature that was checked. All else in its statement equals the certificate's header."""

    key_id: str  # of the key that verified it, not what the envelope says
    certificate: str  # the name of the file when it was signed; files may be renamed
    sha256: str  # of the whole certificate file
    claim: str


def default_envelope(certificate: Path) -> Path:
    """`CERT.assay.sig`, beside the certificate."""
    return certificate.with_name(f"{certificate.name}.sig")


def generate_keys(private: Path, public: Path) -> str:
    """Make a new pair of keys in two new files; answers the id of the key."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    private_text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public_text = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    if private.absolute() == public.absolute():
        raise SignatureProblem(f"the two keys need two files, both would be {private}")
    _create(private, private_text, mode=0o600)
    try:
        _create(public, public_text, mode=0o644)
    except SignatureProblem:
        private.unlink()  # half a pair is of no use, and this half is secret
        raise
    return key_id(key.public_key())


def sign(certificate: Path, private_key: Path, output: Path) -> Signature:
    """Write an envelope for a certificate; whether it is right is certification's question, not ours."""
    key = _private_key(private_key)
    digest, header = _opened_certificate(certificate)
    for precious in (certificate, private_key):
        if output.exists() and output.samefile(precious):
            raise SignatureProblem(f"the envelope would overwrite {precious}")
    payload = _canonical(statement(certificate.name, digest, header))
    identity = key_id(key.public_key())
    signature = _base64(key.sign(encode(PAYLOAD_TYPE, payload)))
    # One signature under the two ids that verifiers compute for a key which comes without one.
    signatures = [{"keyid": name, "sig": signature} for name in (identity, fingerprint(key.public_key()))]
    envelope = {"payload": _base64(payload), "payloadType": PAYLOAD_TYPE, "signatures": signatures}
    text = json.dumps(envelope) + "\n"
    if len(text) > MAX_ENVELOPE_BYTES:
        raise SignatureProblem(f"the envelope would take {len(text):,} bytes, more than a reader accepts")
    try:
        output.write_text(text, encoding="ascii")
    except OSError as problem:
        raise SignatureProblem(f"{output} cannot be written: {problem.strerror}") from None
    return Signature(identity, certificate.name, digest, header.claim)


def _opened_certificate(certificate: Path) -> tuple[str, Header | InvariantHeader]:
    """The digest and the claim, of either kind of file."""
    if is_invariant_file(certificate):
        proof = InvariantFile(certificate)
        return proof.sha256, proof.header
    with CertificateFile(certificate) as file:
        return file.sha256, file.header


def verify(
    certificate: CertificateFile | InvariantFile, envelope: Path, public_keys: Sequence[Path]
) -> Signature:
    """The first signature by one of the keys, if its statement is about this certificate.

    It is about the very bytes that the opened certificate gives out, whatever becomes of its file.
    """
    keys = [_public_key(path) for path in public_keys]
    if not keys:
        raise SignatureProblem("no public key was given to check the signature with")
    payload, signatures = _opened(envelope)
    identity = _signer(payload, signatures, keys)
    if identity is None:
        known = ", ".join(key_id(key)[:16] for key in keys)
        raise SignatureProblem(f"no signature in {envelope} is by a given key ({known})")
    # Only now are these the words of somebody known.
    found = _object(_json(payload, "the signed statement"), "the signed statement")
    name = _require_about(found, certificate.sha256, certificate.header)
    return Signature(identity, name, certificate.sha256, certificate.header.claim)


def statement(name: str, sha256: str, header: Header | InvariantHeader) -> dict[str, object]:
    """What is signed: an in-toto statement, version 1."""
    subjects = [(name, sha256), *((source.name, source.sha256) for source in header.sources)]
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": subject, "digest": {"sha256": digest}} for subject, digest in subjects],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "claim": header.claim,
            "program": header.program,
            "language": header.language,
            "semantics": header.semantics,
            "properties": asdict(header.properties),
            "states": header.states,
            "transitions": header.transitions,
            "producer": header.producer,
        },
    }


def encode(payload_type: str, payload: bytes) -> bytes:
    """DSSE's pre-authentication encoding: what the key really signs."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def key_id(key: Ed25519PublicKey) -> str:
    """As securesystemslib, TUF and in-toto compute it: SHA-256 of the key as an object of canonical JSON."""
    described = {
        "keytype": "ed25519",
        "keyval": {"public": key.public_bytes_raw().hex()},
        "scheme": "ed25519",
    }
    return hashlib.sha256(_canonical(described)).hexdigest()


def fingerprint(key: Ed25519PublicKey) -> str:
    """As OpenSSH computes it, and verifiers in Go for a key of which they know no id: cosign's, in-toto's."""
    from cryptography.hazmat.primitives import serialization

    line = key.public_bytes(serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH)
    digest = hashlib.sha256(base64.b64decode(line.split()[1])).digest()
    return f"SHA256:{_base64(digest).rstrip('=')}"


# --- the envelope ---


def _opened(envelope: Path) -> tuple[bytes, list[bytes]]:
    """Payload and signatures, both still unchecked."""
    what = str(envelope)
    data = _object(_json(_read(envelope, MAX_ENVELOPE_BYTES, "an envelope"), what), what)
    if data.get("payloadType") != PAYLOAD_TYPE:
        raise SignatureProblem(
            f"{what} holds no in-toto statement: its payload type is {_shown(data.get('payloadType'))}"
        )
    payload = _decoded(data.get("payload"), f"the payload of {what}")
    entries = data.get("signatures")
    if not isinstance(entries, list) or not entries:
        raise SignatureProblem(f"{what} has no list of signatures")
    if len(entries) > MAX_SIGNATURES:
        raise SignatureProblem(f"{what} has {len(entries):,} signatures, more than {MAX_SIGNATURES}")
    return payload, [
        _decoded(_object(entry, f"a signature in {what}").get("sig"), f"a signature in {what}")
        for entry in entries
    ]


def _signer(payload: bytes, signatures: Sequence[bytes], keys: Sequence[Ed25519PublicKey]) -> str | None:
    # The key ids in an envelope are not signed, so every signature is tried with every key.
    from cryptography.exceptions import InvalidSignature

    signed = encode(PAYLOAD_TYPE, payload)
    for key in keys:
        for signature in signatures:
            with contextlib.suppress(InvalidSignature):
                key.verify(signature, signed)
                return key_id(key)
    return None


def _require_about(found: Mapping[str, object], digest: str, header: Header | InvariantHeader) -> str:
    """Compare a statement with the certificate; answers the name it calls the file."""
    if found.get("_type") != STATEMENT_TYPE:
        raise SignatureProblem(
            f"what is signed is not an in-toto statement, version 1, but {_shown(found.get('_type'))}"
        )
    if found.get("predicateType") != PREDICATE_TYPE:
        raise SignatureProblem(
            f"the signed statement is not about a certificate: its predicate type is "
            f"{_shown(found.get('predicateType'))}"
        )
    subjects = found.get("subject")
    if not isinstance(subjects, list) or not subjects:
        raise SignatureProblem("the signed statement has no list of subjects")
    first = _object(subjects[0], "the first subject of the signed statement")
    name = first.get("name")
    signed_digest = _object(first.get("digest"), "the digest in the signed statement").get("sha256")
    if not isinstance(name, str) or not isinstance(signed_digest, str):
        raise SignatureProblem("the signed statement does not name a file with its SHA-256")
    if signed_digest != digest:
        raise SignatureProblem(
            f"the signature is about another file: one with SHA-256 {_shown(signed_digest)}, "
            f"this certificate has {digest}"
        )
    expected = statement(name, digest, header)
    if _canonical(subjects) != _canonical(expected["subject"]):
        raise SignatureProblem("the signed statement names other sources than the certificate's header")
    if unknown := sorted(found.keys() - expected.keys()):
        raise SignatureProblem(f"the signed statement says more than a statement may: {_shown(unknown[0])}")
    predicate = _object(found.get("predicate"), "the predicate of the signed statement")
    facts = _object(expected["predicate"], "the predicate")
    for fact in sorted(facts.keys() | predicate.keys()):
        if fact not in facts or _canonical(predicate.get(fact)) != _canonical(facts[fact]):
            raise SignatureProblem(
                f"the signed statement does not match the certificate's header in {_shown(fact)}"
            )
    return name


def _canonical(value: object) -> bytes:
    """Equal for equal JSON, and for nothing else (in Python, 1 == True)."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")
    except RecursionError:
        raise SignatureProblem("the signed statement is nested too deeply") from None


def _json(text: bytes, what: str) -> object:
    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        """Readers differ in which of two values they take for one key."""
        members = dict(pairs)
        if len(members) != len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in members if names.count(name) > 1)
            raise SignatureProblem(f"{what} has the key {_shown(twice)} twice")
        return members

    try:
        return json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError):
        raise SignatureProblem(f"{what} is not JSON") from None


def _object(value: object, what: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise SignatureProblem(f"{what} is not a JSON object")
    return value


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _decoded(value: object, what: str) -> bytes:
    """DSSE lets a signer choose between the two alphabets of base64."""
    if not isinstance(value, str):
        raise SignatureProblem(f"{what} is not a text")
    try:
        return base64.b64decode(value.replace("-", "+").replace("_", "/"), validate=True)
    except ValueError:
        raise SignatureProblem(f"{what} is not base64") from None


def _shown(value: object) -> str:
    """A stranger's value in a sentence: escaped, and not longer than a line."""
    text = ascii(value) if isinstance(value, str) else f"no text but {type(value).__name__}"
    return text if len(text) <= CHARACTERS_SHOWN else f"{text[:CHARACTERS_SHOWN]}..."


# --- keys ---


def _private_key(path: Path) -> Ed25519PrivateKey:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    text = _read(path, MAX_KEY_BYTES, "a key")
    try:
        key = load_pem_private_key(text, password=None)
    except TypeError:
        raise SignatureProblem(f"the key in {path} is encrypted; decrypt it first") from None
    except (ValueError, UnsupportedAlgorithm):
        raise SignatureProblem(f"{path} holds no private key in PEM; `assay keygen` makes one") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise SignatureProblem(f"the key in {path} is not an Ed25519 key; `assay keygen` makes one")
    return key


def _public_key(path: Path) -> Ed25519PublicKey:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    text = _read(path, MAX_KEY_BYTES, "a key")
    try:
        key = load_pem_public_key(text)
    except (ValueError, UnsupportedAlgorithm):
        raise SignatureProblem(f"{path} holds no public key in PEM") from None
    if not isinstance(key, Ed25519PublicKey):
        raise SignatureProblem(f"the key in {path} is not an Ed25519 key")
    return key


def _read(path: Path, limit: int, what: str) -> bytes:
    try:
        return read_regular_file(path, limit)
    except OSError as problem:
        raise SignatureProblem(f"{path} cannot be read: {problem.strerror}") from None
    except ValueError as problem:
        raise SignatureProblem(f"{problem}, too long for {what}") from None


def _create(path: Path, text: bytes, *, mode: int) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text)
    except FileExistsError:
        raise SignatureProblem(f"{path} exists already, and keys are never overwritten") from None
    except OSError as problem:
        raise SignatureProblem(f"{path} cannot be written: {problem.strerror}") from None
