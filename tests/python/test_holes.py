"""Programs that fail under some schedule and could be taken for correct: each must fail, or be refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.transition_system.interface import SourceProblem
from tests.oracles.exploration import outcomes

HOLES = Path(__file__).parent / "holes"

# What must become of each.
FAILS = (
    "bare_thread_after_main",
    "class_gets_attribute",
    "copy_of_view",
    "daemon_after_exit",
    "daemon_after_main",
    "daemon_after_the_last_thread",
    "dict_of_instance",
    "exception_made_again",
    "final_attribute_stored_by_built_in",
    "final_slot",
    "first_store_of_global",
    "functions_made_twice",
    "ident_before_the_other_ends",
    "instance_sees_new_class_attribute",
    "length_of_view",
    "lock_awaited_for_a_time",
    "lock_looked_at",
    "lock_released_by_another",
    "lock_shown",
    "lock_tried_while_held",
    "loop_over_view",
    "method_caller",
    "notified_without_the_lock",
    "published_by_append",
    "published_by_init",
    "published_closure",
    "published_exception",
    "published_generator",
    "published_in_global",
    "published_iterator",
    "subclass_hides_attribute",
    "super_reads_class_attribute",
    "thread_counted_before_it_ends",
    "truth_of_view",
    "waiter_gives_up_while_notified",
)
REFUSED = (
    "abstract_class_registers",
    "class_stored_by_built_in",
    "dataclass_as_dict_while_changed",
    "dataclass_compared_while_changed",
    "dataclass_removed_while_changed",
    "dataclass_shown_while_changed",
    "deep_copy_while_changed",
    "enumeration_member_gets_attribute",
    "enumeration_of_lists",
    "exception_field",
    "function_gets_attribute",
    "generator_dropped",
    "hashed_by_what_is_not_compared",
    "identity_of_texts",
    "identity_of_tuples",
    "json_of_lists_while_changed",
    "method_replaced",
    "object_changes_class",
    "removed_in_pieces",
    "special_method_replaced",
    "static_method_replaced",
    "store_through_cell",
    "updated_in_pieces",
    "written_by_a_comparison",
)


@pytest.mark.parametrize("name", FAILS)
def test_the_assertion_fails_under_some_schedule(name: str) -> None:
    ended = {last_line.partition(":")[0] for _, last_line in outcomes(HOLES / f"{name}.py")}
    assert ended == {"ok", "AssertionError"}


def test_the_first_store_of_a_global_is_a_race() -> None:
    ended = {last_line for _, last_line in outcomes(HOLES / "first_store_of_global.py", "sync")}
    assert any("race" in last_line for last_line in ended)


def test_an_invariant_sees_a_lock_before_it_is_released() -> None:
    ended = {last_line for _, last_line in outcomes(HOLES / "invariant_looks_at_lock.py")}
    assert ended == {"the invariant never both does not hold"}


def test_what_a_thread_does_alone_is_seen_before_it_waits_for_ever() -> None:
    ended = {last_line for _, last_line in outcomes(HOLES / "alone_before_it_waits.py")}
    assert ended == {"the invariant nothing is done does not hold"}


@pytest.mark.parametrize("name", REFUSED)
def test_the_program_is_refused(name: str) -> None:
    with pytest.raises(SourceProblem):
        outcomes(HOLES / f"{name}.py")


def test_every_program_has_its_verdict() -> None:
    assert {file.stem for file in HOLES.glob("*.py")} == {
        *FAILS,
        *REFUSED,
        "alone_before_it_waits",
        "invariant_looks_at_lock",
    }
