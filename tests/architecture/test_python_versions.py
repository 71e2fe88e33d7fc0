"""The versions of Python that the package claims are those that it is tested with."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_classifiers_name_what_may_be_installed_and_nothing_else():
    bounds = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", PROJECT["requires-python"])
    assert bounds is not None
    allowed = [f"3.{minor}" for minor in range(int(bounds[1]), int(bounds[2]))]
    prefix = "Programming Language :: Python :: "
    assert [
        name.removeprefix(prefix) for name in PROJECT["classifiers"] if name.startswith(prefix)
    ] == allowed
    assert f"{sys.version_info.major}.{sys.version_info.minor}" in allowed


def test_cmake_refuses_what_the_package_refuses():
    upper = PROJECT["requires-python"].rpartition("<")[2]
    assert f"if(NOT Python_VERSION VERSION_LESS {upper})" in (ROOT / "CMakeLists.txt").read_text()
