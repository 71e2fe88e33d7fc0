"""What all tests share: SPIN and Spot may be missing on a laptop, never in CI; and how tests were started,
and how busy the machine is, makes no difference."""

import gc
import importlib.util
import os
import shutil
import signal

import hypothesis
import pytest

from tests.time_limit import SECONDS, TimeLimitReached, limited, stop

# In CI a failure is told at once, with the blob that repeats it: shrinking can take longer than all tests
# may. Whoever repeats it (`@reproduce_failure`) on a machine of their own sees the shrunk one.
FOUND_WITHOUT_SHRINKING = [
    phase for phase in hypothesis.Phase if phase not in {hypothesis.Phase.shrink, hypothesis.Phase.explain}
]
# No example has a deadline of its own: on a loaded machine any of them may take seconds.
usual = hypothesis.settings(deadline=None)
hypothesis.settings.register_profile("without deadlines", usual)
hypothesis.settings.register_profile(
    "found without shrinking", usual, phases=FOUND_WITHOUT_SHRINKING, print_blob=True
)
hypothesis.settings.load_profile("found without shrinking" if os.environ.get("CI") else "without deadlines")


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        f"time_limit(seconds): after which the test fails with its name; {SECONDS:.0f} if not given",
    )
    # A shell starts its background jobs with interrupts ignored, and children inherit that: tests that
    # interrupt themselves or a child would wait for ever.
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_unconfigure(config):
    stop()


@pytest.fixture(autouse=True, scope="module")
def nobody_else_listens_to_the_garbage_collector():
    """Dask leaves a callback there, and an exception that a signal raises within it is lost."""
    before = list(gc.callbacks)
    yield
    gc.callbacks[:] = before


def pytest_runtest_setup(item):
    # Whoever imports readline exports the width of the terminal, which commands obey in a pipe too.
    os.environ.pop("COLUMNS", None)
    os.unsetenv("COLUMNS")  # where it is exported past Python
    if item.get_closest_marker("needs_spin") is not None and not shutil.which("spin"):
        reason = "spin is not installed (Debian: apt-get install spin)"
    elif item.get_closest_marker("needs_spot") is not None and not importlib.util.find_spec("spot"):
        reason = "Spot is not installed (pip install spottl)"
    else:
        return
    if os.environ.get("CI"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def within_the_time_limit(item):
    marker = item.get_closest_marker("time_limit")
    try:
        with limited(item.nodeid, marker.args[0] if marker else SECONDS):
            return (yield)
    except TimeLimitReached as reached:
        pytest.fail(str(reached))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    return (yield from within_the_time_limit(item))


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef, request):
    try:
        with limited(f"the fixture {fixturedef.argname} of {request.node.nodeid}", SECONDS):
            return (yield)
    except TimeLimitReached as reached:
        pytest.fail(str(reached))
