"""The first and last lines of tracebacks. What is in between is in the counterexample, not in the program's output."""

import _assay


def _last_line(exception):
    kind = type(exception)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = kind.__module__ + "." + name
    text = str(exception)
    return name + ": " + text + "\n" if text else name + "\n"


def format_exception_only(exc, /, value=None):
    return [_last_line(exc if value is None else value)]


_FIRST_LINE = "Traceback (most recent call last):\n"


def format_exception(exc, /, value=None, tb=None, limit=None, chain=True):
    _assay.remark("a traceback becomes a text, of which the first and the last line are taken for all of it")
    return [_FIRST_LINE, _last_line(exc if value is None else value)]


def print_exception(exc, /, value=None, tb=None, limit=None, file=None, chain=True):
    text = _FIRST_LINE + _last_line(exc if value is None else value)
    if file is None:
        _assay.write(text)
    else:
        file.write(text)


def format_exc(limit=None, chain=True):
    exception = _assay.handled()
    return "NoneType: None\n" if exception is None else "".join(format_exception(exception))


def print_exc(limit=None, file=None, chain=True):
    """Writes that there was an exception; which one stands in the counterexample."""
    text = "Traceback (most recent call last)\n"
    if file is None:
        _assay.write(text)
    else:
        file.write(text)


def print_stack(f=None, limit=None, file=None):
    """The counterexample shows the stacks of all threads."""
