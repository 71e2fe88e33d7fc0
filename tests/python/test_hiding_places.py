"""Shared data is part of the state wherever a program keeps it, or the program is refused.

`tests/python/hiding` has the places; `python -m tests.python.hiding` tries them in more ways.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.python.hiding.places import PLACES, Place
from tests.python.hiding.programs import FORMS, RIGHT, Form
from tests.python.hiding.trial import REFUSED, endings, written, wrong_in_cpython

FORM = {form.name: form for form in FORMS}
MOST_STATES = 60
AUDITS = 8


@pytest.mark.parametrize(
    "form", [FORM["raced"], FORM["locked"], FORM["branches"]], ids=lambda form: form.name
)
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_a_program_that_keeps_shared_data_there_is_judged_right_or_refused(place: Place, form: Form) -> None:
    assert endings(place, form) == (REFUSED if place.refused else form.endings)


def test_programs_that_are_said_to_be_right_are_right_in_cpython() -> None:
    right = [
        (place, form) for place in PLACES if not place.refused for form in FORMS if form.endings == RIGHT
    ]
    assert wrong_in_cpython(right) == []


@pytest.mark.parametrize("part", range(AUDITS))
def test_all_that_can_be_reached_is_part_of_the_state(part: int, tmp_path: Path) -> None:
    """In each state the machine goes through what a garbage collector would, and looks for what it forgot."""
    places = PLACES[part::AUDITS]
    files = {str(written(place, FORM["identity"], tmp_path)): place for place in places}
    walked = subprocess.run(
        [sys.executable, "-m", "tests.python.wary_walk", str(MOST_STATES), *files],
        env={**os.environ, "PYTHONHASHSEED": "0"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    for file, found in json.loads(walked.stdout).items():
        problem = str(found.get("problem", ""))
        assert problem.startswith("unsupported") == files[file].refused, (files[file].name, problem)
        assert files[file].refused or not problem, (files[file].name, problem)


def test_every_place_has_a_name_of_its_own() -> None:
    names = [place.name for place in PLACES]
    assert len(set(names)) == len(names) > 140
