"""Work that is given up when its time is over."""

import os
import time
from pathlib import Path

import pytest

from assay.execution.alarm import OutOfTime, alarm_at


def test_what_was_opened_in_the_moment_of_the_alarm_is_closed_without_a_warning():
    # The file has no name yet when the alarm comes, as that of a `with` whose `open` just returned.
    open_files = Path("/proc/self/fd")
    before = len(list(open_files.iterdir()))
    with pytest.raises(OutOfTime), alarm_at(time.monotonic()):
        (Path(os.devnull).open(), time.sleep(60))  # noqa: SIM115
    assert len(list(open_files.iterdir())) == before
