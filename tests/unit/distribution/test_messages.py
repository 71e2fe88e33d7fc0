"""What a worker answers that has executed a stranger's code is data, whatever it is."""

import pickle
import subprocess
import sys

import pytest

from assay.certification.task import TaskProgress
from assay.distribution.messages import Raised, Returned, data_in, packed
from assay.evidence.certificate.header import CertificateProblem


class Hostile:
    def __init__(self, *call):
        self.call = call

    def __reduce__(self):
        return self.call[0], self.call[1:]


@pytest.mark.parametrize(
    "call",
    [(eval, "1"), (pickle.loads, b""), (__import__, "os"), (getattr, 1, "real"), (type, "x", (), {})],
    ids=lambda call: call[0].__name__,
)
def test_an_answer_that_would_do_something_is_refused(call):
    with pytest.raises(pickle.UnpicklingError, match="an answer names"):
        data_in(packed(Returned(Hostile(*call), 0))[8:])


def test_what_workers_answer_is_read():
    message = Returned(TaskProgress(1, 2), 3)
    assert data_in(packed(message)[8:]) == message


def test_errors_of_workers_are_read():
    """As a worker writes them: another package may have changed how this process does."""
    script = (
        "import sys; from assay.distribution.messages import Raised, packed;"
        "from assay.evidence.certificate.header import CertificateProblem;"
        "sys.stdout.buffer.write(packed(Raised(CertificateProblem('no'), 4)))"
    )
    written = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout
    assert repr(data_in(written[8:])) == repr(Raised(CertificateProblem("no"), 4))
