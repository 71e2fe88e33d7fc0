"""Our dataclasses behave as those of the standard library, which are the oracle."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, field, fields, replace
from functools import partial
from typing import Any, ClassVar

import pytest

from assay import records


def plain(decorate: Callable[..., Any]) -> Any:
    @decorate
    class Plain:
        first: int
        second: str = "two"

    return Plain


def frozen(decorate: Callable[..., Any]) -> Any:
    @decorate(frozen=True)
    class Frozen:
        first: int
        second: list[int] = field(default_factory=list)
        constant: ClassVar[int] = 3

    return Frozen


def slots(decorate: Callable[..., Any]) -> Any:
    @decorate(frozen=True, slots=True)
    class Slots:
        first: int
        second: tuple[int, ...] = ()
        unseen: int = field(default=4, repr=False, compare=False)
        fixed: int = field(default=5, init=False)

    return Slots


def by_name(decorate: Callable[..., Any]) -> Any:
    @decorate(frozen=True, slots=True, kw_only=True)
    class ByName:
        first: int
        second: str = "b"

    return ByName


def derived(decorate: Callable[..., Any]) -> Any:
    @decorate(frozen=True, slots=True)
    class Base:
        first: int

    @decorate(frozen=True, slots=True)
    class Derived(Base):
        second: float = 0.5

    return Derived


def finished(decorate: Callable[..., Any]) -> Any:
    @decorate(slots=True)
    class Finished:
        first: int
        second: list[int] = field(default_factory=list)

        def __post_init__(self) -> None:
            self.second.append(self.first)

    return Finished


def single(decorate: Callable[..., Any]) -> Any:
    @decorate(frozen=True)
    class Single:
        first: object

    return Single


def empty(decorate: Callable[..., Any]) -> Any:
    @decorate(frozen=True, slots=True)
    class Empty:
        pass

    return Empty


SHAPES = [plain, frozen, slots, by_name, derived, finished, single, empty]
CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}),
    ((1,), {}),
    ((2,), {}),
    ((1, "x"), {}),
    ((1, [1]), {}),
    ((float("nan"),), {}),
    ((), {"first": 1}),
    ((), {"first": 1, "second": "y"}),
    ((1, 2, 3, 4, 5), {}),
    ((1,), {"wrong": 2}),
    ((1,), {"first": 2}),
]


def outcome(action: Callable[[], Any]) -> Any:
    try:
        return action()
    except Exception as problem:
        return type(problem)


@pytest.mark.parametrize("shape", SHAPES)
def test_instances_are_as_with_the_standard_library(shape: Callable[..., Any]) -> None:
    ours, standard = shape(records.dataclass), shape(dataclasses.dataclass)
    assert dataclasses.is_dataclass(ours)
    assert [(one.name, one.init, one.compare) for one in fields(ours)] == [
        (one.name, one.init, one.compare) for one in fields(standard)
    ]
    assert ours.__match_args__ == standard.__match_args__
    assert hasattr(ours, "__slots__") == hasattr(standard, "__slots__")
    made = 0
    for given, named in CALLS:
        pair = [outcome(partial(kind, *given, **named)) for kind in (ours, standard)]
        if isinstance(pair[0], type) or isinstance(pair[1], type):
            assert pair[0] is pair[1]  # the same exception
            continue
        made += 1
        a, b = pair
        assert repr(a) == repr(b)
        assert asdict(a) == asdict(b)
        assert outcome(partial(hash, a)) == outcome(partial(hash, b))
        actions = (lambda one: setattr(one, "first", 7), lambda one: delattr(one, "first"))
        for action in actions if fields(ours) else ():
            assert outcome(partial(action, a)) == outcome(partial(action, b))
    assert made


@pytest.mark.parametrize("shape", SHAPES)
def test_they_are_equal_when_their_fields_are(shape: Callable[..., Any]) -> None:
    kinds = [shape(records.dataclass), shape(dataclasses.dataclass)]
    verdicts = []
    for kind in kinds:
        made = [outcome(partial(kind, *given, **named)) for given, named in CALLS]
        objects = [one for one in made if not isinstance(one, type)]
        objects += [copy.deepcopy(one) for one in objects]
        objects += [replace(one) for one in objects]
        verdicts.append([[a == b for b in [*objects, 1, None]] for a in objects])
    assert verdicts[0] == verdicts[1]


@records.dataclass(frozen=True, slots=True)
class Kept:
    first: int
    second: str = "x"


def test_they_are_pickled_matched_and_shown_inside_of_themselves() -> None:
    kept = Kept(3)
    assert pickle.loads(pickle.dumps(kept)) == kept
    match kept:
        case Kept(first, second):
            assert (first, second) == (3, "x")
    with pytest.raises(FrozenInstanceError, match="first"):
        kept.first = 4  # type: ignore[misc]
    loop = plain(records.dataclass)(1, [])
    loop.second.append(loop)
    assert repr(loop).endswith("Plain(first=1, second=[...])")


def test_what_is_written_in_the_class_stays() -> None:
    @records.dataclass(frozen=True)
    class Own:
        first: int

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

    assert Own(1) == Own(2)
    assert hash(Own(1)) == 7


def test_nothing_is_compiled_before_the_first_instance() -> None:
    kind = slots(records.dataclass)
    before = kind.__init__
    kind(1)
    assert kind.__init__ is not before
    assert kind.__init__.__qualname__.endswith("Slots.__init__")
