"""The module `uuid`: identifiers that differ from each other, and nothing else is said about them.

They are numbered in the order in which they are made, so that runs can be compared; in CPython they have no order.
"""

import hashlib as _hashlib

import _assay

_made = [0]


@_assay.atomic
def _next_number():
    _made[0] += 1
    return _made[0]


class UUID:
    def __init__(self, hex=None, bytes=None, bytes_le=None, fields=None, int=None, version=None):
        if [hex, bytes, bytes_le, fields, int].count(None) != 4:
            raise TypeError("one of the hex, bytes, bytes_le, fields, or int arguments must be given")
        if bytes_le is not None or fields is not None or version is not None:
            _assay.unsupported("uuid.UUID of parts is not modelled; give the hexadecimal digits")
        if bytes is not None:
            if len(bytes) != 16:
                raise ValueError("bytes is not a 16-char string")
            int = _number_of(bytes.hex())
        elif int is None:
            digits = hex.replace("urn:", "").replace("uuid:", "").strip("{}").replace("-", "")
            if len(digits) != 32:
                raise ValueError("badly formed hexadecimal UUID string")
            int = _number_of(digits)
        if not 0 <= int < 1 << 128:
            raise ValueError("int is out of range (need a 128-bit value)")
        self.int = int

    def __eq__(self, other):
        return self.int == other.int if isinstance(other, UUID) else NotImplemented

    def __lt__(self, other):
        _assay.unsupported("identifiers of uuid have no order; sort by something else")

    __le__ = __gt__ = __ge__ = __lt__

    def __hash__(self):
        return hash(self.int)

    @property
    def hex(self):
        return "%032x" % self.int

    def __str__(self):
        digits = self.hex
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))

    def __repr__(self):
        return "UUID(" + repr(str(self)) + ")"

    def __int__(self):
        return self.int

    @property
    def bytes(self):
        return self.int.to_bytes(16, "big")

    @property
    def urn(self):
        return "urn:uuid:" + str(self)

    @property
    def version(self):
        return _number_of(self.hex[12]) if self.hex[16] in "89ab" else None

    @property
    def time_low(self):
        return self.int >> 96

    @property
    def node(self):
        return self.int & 0xFFFFFFFFFFFF


def _number_of(digits):
    return int(digits, 16)


def uuid4():
    # The number stands in front, where programs cut a short name off.
    return UUID(int=(_next_number() << 96) + (4 << 76) + (8 << 60))


def uuid1(node=None, clock_seq=None):
    return UUID(int=(_next_number() << 96) + (1 << 76) + (8 << 60))


def _of_digest(digest, version):
    number = _number_of(digest[:32]) & ~(0xC000 << 48) & ~(0xF000 << 64)
    return UUID(int=number | 0x8000 << 48 | version << 76)


def uuid3(namespace, name):
    return _of_digest(_hashlib.md5(namespace.bytes + name.encode()).hexdigest(), 3)


def uuid5(namespace, name):
    return _of_digest(_hashlib.sha1(namespace.bytes + name.encode()).hexdigest(), 5)


NAMESPACE_DNS = UUID("6ba7b810-9dad-11d1-80b4-00c04fd430c8")
NAMESPACE_URL = UUID("6ba7b811-9dad-11d1-80b4-00c04fd430c8")
NAMESPACE_OID = UUID("6ba7b812-9dad-11d1-80b4-00c04fd430c8")
NAMESPACE_X500 = UUID("6ba7b814-9dad-11d1-80b4-00c04fd430c8")
RESERVED_NCS, RFC_4122, RESERVED_MICROSOFT, RESERVED_FUTURE = (
    "reserved for NCS compatibility",
    "specified in RFC 4122",
    "reserved for Microsoft compatibility",
    "reserved for future definition",
)
