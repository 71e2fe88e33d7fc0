"""The module `warnings`: warnings go nowhere, and cannot be made errors."""

import _assay


def _refuse_errors(action):
    if action == "error":
        _assay.unsupported("warnings that are raised are not modelled; raise the exception yourself")


def warn(message, category=None, stacklevel=1, source=None):
    pass


def simplefilter(action, category=Warning, lineno=0, append=False):
    _refuse_errors(action)


def filterwarnings(action, message="", category=Warning, module="", lineno=0, append=False):
    _refuse_errors(action)
