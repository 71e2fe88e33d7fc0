"""What all tests share: SPIN may be missing on a laptop, never in CI."""

import os
import shutil

import pytest


def pytest_runtest_setup(item):
    if item.get_closest_marker("needs_spin") is None or shutil.which("spin"):
        return
    reason = "spin is not installed (Debian: apt-get install spin)"
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
