"""The module `warnings`: warnings go nowhere, and cannot be made errors."""

import _assay


def _refuse_errors(action):
    if action == "error":
        _assay.unsupported("warnings that are raised are not modelled; raise the exception yourself")


def warn(message, category=None, stacklevel=1, source=None):
    pass


class catch_warnings:
    def __init__(self, *, record=False, module=None, action=None, category=Warning, lineno=0, append=False):
        if record:
            _assay.unsupported("warnings that are recorded are not modelled; leave that out")
        _refuse_errors(action)

    def __enter__(self):
        return None

    def __exit__(self, *exc_info):
        pass


def warn_explicit(
    message, category, filename, lineno, module=None, registry=None, module_globals=None, source=None
):
    pass


def resetwarnings():
    pass


def simplefilter(action, category=Warning, lineno=0, append=False):
    _refuse_errors(action)


def filterwarnings(action, message="", category=Warning, module="", lineno=0, append=False):
    _refuse_errors(action)
