"""Work that is given up when its time is over."""

import os
import time

import pytest

from assay.execution.alarm import OutOfTime, alarm_at


def test_what_was_opened_in_the_moment_of_the_alarm_is_closed_without_a_warning():
    # The file has no name yet when the alarm comes, as that of a `with` whose `open` just returned.
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(OutOfTime), alarm_at(time.monotonic()):
        (open(os.devnull), time.sleep(60))  # noqa: B018, SIM115
    assert len(os.listdir("/proc/self/fd")) == before
