"""What a worker answers that has executed a stranger's code is data, whatever it is."""

import pickle

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
    for message in (Returned(TaskProgress(1, 2), 3), Raised(CertificateProblem("no"), 4)):
        assert repr(data_in(packed(message)[8:])) == repr(message)
