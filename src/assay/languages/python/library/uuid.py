"""The module `uuid`: identifiers that differ from each other, and nothing else is said about them.

They are numbered in the order in which they are made, so that runs can be compared; in CPython they have no order.
"""

import _assay

_made = [0]


@_assay.atomic
def _next_number():
    _made[0] += 1
    return _made[0]


class UUID:
    def __init__(self, hex=None, *, int=None):
        if int is None:
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


def _number_of(digits):
    return int(digits, 16)


def uuid4():
    # The number stands in front, where programs cut a short name off.
    return UUID(int=(_next_number() << 96) + (4 << 76) + (8 << 60))


uuid1 = uuid4


def _refuse(namespace, name):
    _assay.unsupported("identifiers made of names are not modelled; use uuid.uuid4")


uuid3 = uuid5 = _refuse
