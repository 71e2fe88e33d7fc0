"""What all tests share: SPIN may be missing on a laptop, never in CI."""

import gc
import os
import shutil

import pytest


@pytest.fixture(autouse=True, scope="module")
def nobody_else_listens_to_the_garbage_collector():
    """Dask leaves a callback there, and an exception that a signal raises within it is lost."""
    before = list(gc.callbacks)
    yield
    gc.callbacks[:] = before


def pytest_runtest_setup(item):
    if item.get_closest_marker("needs_spin") is None or shutil.which("spin"):
        return
    reason = "spin is not installed (Debian: apt-get install spin)"
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)
