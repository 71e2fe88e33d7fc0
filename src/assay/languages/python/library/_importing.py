"""For `importlib`: a module that is imported by its name, and that no run before has asked for."""

import _assay


def by_name(name):
    if not name:
        raise ValueError("Empty module name")
    _assay.observes("import " + name)


def refuse(text):
    _assay.unsupported(text)
