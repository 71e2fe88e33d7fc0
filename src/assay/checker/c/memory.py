"""Memory that pointers reach: cells, one for each byte of an object whose address is taken.

A pointer has 64 bits: the number of an object, and how far it is from the object's beginning. Where pointers
have four bytes, cells are wider, so that four hold one. Each cell says whether it is part of a pointer, and
which, since nobody knows the bytes of those: read as an integer they are anything, and so is a pointer that
is read where something else was written. Who copies bytes copies whole pointers; parts of one are anything.
NULL is zeros, as on every machine that gcc knows.

Where bounds are checked, an object that begins to live once more has another number each time, so that a
pointer to what is gone points to nothing; `sizes` are those of what was allocated, and one more, or 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assay.checker.c import terms as tm
from assay.checker.c import types as ty
from assay.checker.c.problems import CannotCheck
from assay.checker.c.terms import Term

POINTER_BITS = ty.POINTER_BITS
HALF = POINTER_BITS // 2
FIRST_ON_THE_HEAP = 1 << 30
FIRST_FROM_OUTSIDE = 1 << 31
MOST_CELLS = 16_384  # of an object
MOST_UNKNOWN = 128  # bytes that are copied or set, if it is not known how many
LIFE_BITS = 16  # of a number of an object, where bounds are checked


class Addressed(Exception):
    """The address of an object is needed that was not kept in memory: the program is read again."""

    def __init__(self, key: object) -> None:
        super().__init__("an object has to be kept in memory")
        self.key = key


class Memory:
    def __init__(self, pointer_bits: int, *, has_bounds: bool = False) -> None:
        self.pointer_bits, self.has_bounds = pointer_bits, has_bounds
        self.sizes = tm.var("sizes", (HALF, HALF))
        self.data_bits = POINTER_BITS // (pointer_bits // 8)  # of a cell, without what it says of itself
        self.parts = pointer_bits // 8
        self.mark_bits = self.parts.bit_length()  # 0, or the position of a part and 1
        self.cell_bits = self.data_bits + self.mark_bits
        self.cells = tm.var("memory", (POINTER_BITS, self.cell_bits))
        self.heap = tm.var("heap", HALF)
        self.first = tm.var("memory.first", self.cells.sort)
        self.initial = self.first
        self.objects = 0

    def address(self) -> Term:
        """Of an object that is new and lives as long as the program."""
        return tm.const(self._number() << HALF, POINTER_BITS)

    def address_in(self, life: Term) -> Term:
        """Of one that lives for a while, in one of its lives."""
        number = tm.const(self._number() >> LIFE_BITS, HALF - LIFE_BITS)
        return tm.concat(tm.concat(number, life), tm.const(0, HALF))

    def _number(self) -> int:
        self.objects += 1
        found = self.objects << LIFE_BITS if self.has_bounds else self.objects
        if found >= FIRST_ON_THE_HEAP:
            raise CannotCheck("so many objects in memory")
        return found

    def size(self, kind: ty.Type) -> int:
        found = ty.size_of(kind, self.pointer_bits)
        if found > MOST_CELLS:
            raise CannotCheck(f"an object of more than {MOST_CELLS} bytes in memory")
        return found

    # --- scalars ---

    def loaded(
        self, kind: ty.Scalar, address: Term, cells: Term, anything: Callable[[int], Term] | None
    ) -> Term:
        """What is there. Without `anything`: if it is what was written there as this type."""
        found = [tm.select(cells, moved(address, at)) for at in range(self._count(kind))]
        if isinstance(kind, ty.Int):
            value = joined([tm.extract(7, 0, one) for one in found])
            known = tm.both(tm.equal(self._mark(one), tm.const(0, self.mark_bits)) for one in found)
        else:
            value = joined([tm.extract(self.data_bits - 1, 0, one) for one in found])
            is_pointer = [
                tm.equal(self._mark(one), tm.const(at + 1, self.mark_bits)) for at, one in enumerate(found)
            ]
            is_null = tm.equal(joined(found), tm.const(0, self.cell_bits * len(found)))
            known = tm.either((tm.both(is_pointer), is_null))
        if anything is None or known is tm.TRUE:
            return value
        return tm.choice(known, value, anything(value.width))

    def stored(self, kind: ty.Scalar, address: Term, cells: Term, value: Term) -> Term:
        count = self._count(kind)
        if isinstance(kind, ty.Int):
            parts = [
                tm.extend(tm.extract(8 * at + 7, 8 * at, value), self.cell_bits, is_signed=False)
                for at in range(count)
            ]
        else:
            is_null = tm.equal(value, tm.const(0, POINTER_BITS))
            width, none = self.data_bits, tm.const(0, self.mark_bits)
            parts = [
                tm.concat(
                    tm.choice(is_null, none, tm.const(at + 1, self.mark_bits)),
                    tm.extract(width * at + width - 1, width * at, value),
                )
                for at in range(count)
            ]
        for at, one in enumerate(parts):
            cells = tm.store(cells, moved(address, at), one)
        return cells

    def loaded_field(self, kind: ty.Int, address: Term, shift: int, cells: Term) -> Term:
        """A bit-field, which begins so many bits behind the address. No pointer is there."""
        assert kind.bits is not None
        whole = self.loaded(self._around(kind, shift), address, cells, None)
        return tm.extend(
            tm.extract(shift + kind.bits - 1, shift, whole), kind.width, is_signed=kind.is_signed
        )

    def stored_field(self, kind: ty.Int, address: Term, shift: int, cells: Term, value: Term) -> Term:
        assert kind.bits is not None
        around, end = self._around(kind, shift), shift + kind.bits
        whole = self.loaded(around, address, cells, None)
        parts = [tm.extract(kind.bits - 1, 0, value)]
        parts = [tm.extract(shift - 1, 0, whole), *parts] if shift else parts
        parts += [tm.extract(around.width - 1, end, whole)] if end < around.width else []
        return self.stored(around, address, cells, joined(parts))

    @staticmethod
    def _around(kind: ty.Int, shift: int) -> ty.Int:
        """The bytes in which a bit-field is."""
        return ty.Int(-(-(shift + (kind.bits or 0)) // 8) * 8, False, 0, "bytes")

    def zeros(self, size: int, address: Term, cells: Term) -> Term:
        for at in range(size):
            cells = tm.store(cells, moved(address, at), tm.const(0, self.cell_bits))
        return cells

    def forgotten(self, size: int, address: Term, cells: Term, anything: Term) -> Term:
        """What is there is that of another memory, of which nothing is known."""
        for at in range(size):
            where = moved(address, at)
            cells = tm.store(cells, where, tm.select(anything, where))
        return cells

    def set_bytes(self, byte: Term, count: int, address: Term, cells: Term) -> Term:
        one = tm.extend(byte, self.cell_bits, is_signed=False)
        for at in range(count):
            cells = tm.store(cells, moved(address, at), one)
        return cells

    def copied(
        self, source: Term, target: Term, count: int, cells: Term, anything: Callable[[int], Term]
    ) -> Term:
        """With pointers that are whole in there. Of another one, a part of it would be taken for a pointer
        beside parts of others."""
        found = cells
        for at in range(count):
            one = tm.select(cells, moved(source, at))
            mark = self._mark(one)
            # A pointer begins where part 1 of it is, so many cells before this one.
            fits = []
            if at < self.parts - 1:
                fits.append(tm.compared("bvule", mark, tm.const(at + 1, self.mark_bits)))
            if count - at < self.parts:
                least = tm.const(self.parts - (count - at) + 1, self.mark_bits)
                is_none = tm.equal(mark, tm.const(0, self.mark_bits))
                fits.append(tm.either((is_none, tm.compared("bvule", least, mark))))
            if fits:
                other = tm.extend(anything(8), self.cell_bits, is_signed=False)
                one = tm.choice(tm.both(fits), one, other)
            found = tm.store(found, moved(target, at), one)
        return found

    def set_some(self, byte: Term, count: Term, address: Term, cells: Term) -> Term:
        """So many bytes as `count` says, which has 64 bits and is not more than `MOST_UNKNOWN`."""
        one, found = tm.extend(byte, self.cell_bits, is_signed=False), cells
        for at in range(MOST_UNKNOWN):
            where = moved(address, at)
            is_set = tm.compared("bvult", tm.const(at, 64), count)
            found = tm.store(found, where, tm.choice(is_set, one, tm.select(cells, where)))
        return found

    def copied_some(
        self, source: Term, target: Term, count: Term, cells: Term, anything: Callable[[int], Term]
    ) -> Term:
        """A cell of which the rest of a pointer is not copied is anything, as in `copied`."""
        found = cells
        for at in range(MOST_UNKNOWN):
            one, where = tm.select(cells, moved(source, at)), moved(target, at)
            mark = tm.extend(self._mark(one), 64, is_signed=False)
            end = tm.binary("bvsub", tm.const(at + self.parts, 64), mark)
            fits = [
                tm.either((tm.equal(mark, tm.const(0, 64)), tm.compared("bvult", end, count))),
                tm.compared("bvule", mark, tm.const(at + 1, 64)),
            ]
            other = tm.extend(anything(8), self.cell_bits, is_signed=False)
            one = tm.choice(tm.both(fits), one, other)
            is_copied = tm.compared("bvult", tm.const(at, 64), count)
            # What is overwritten is read from what was there: no cell is the target of two.
            found = tm.store(found, where, tm.choice(is_copied, one, tm.select(cells, where)))
        return found

    def _count(self, kind: ty.Scalar) -> int:
        return ty.size_of(kind, self.pointer_bits)

    def _mark(self, cell: Term) -> Term:
        return tm.extract(self.cell_bits - 1, self.data_bits, cell)


def joined(parts: Sequence[Term]) -> Term:
    """The lowest one first."""
    found = parts[0]
    for one in parts[1:]:
        found = tm.concat(one, found)
    return found


def moved(address: Term, by: int) -> Term:
    """Sums of constants are kept together, so that cells of one object are seen to differ."""
    if address.op == "bvadd" and address.args[1].value is not None:
        return moved(address.args[0], address.args[1].value + by)
    return tm.binary("bvadd", address, tm.const(by, POINTER_BITS))


def object_of(pointer: Term) -> Term:
    return tm.extract(POINTER_BITS - 1, HALF, pointer)
