"""Whether a module could be imported; which ones a program asks for is found out by running it (`Modules.answers`)."""

import _assay

_FOUND = {}  # by name; put in when a program is compiled


class _ModuleSpec:
    def __init__(self, name):
        self.name = name

    def __getattr__(self, name):
        _assay.unsupported("the " + name + " of a module's spec is not modelled; import the module")


def find_spec(name, package=None):
    if name.startswith(".") or "." in name:
        _assay.unsupported(
            "importlib.util.find_spec() of a module in a package is not modelled; import it and catch the ImportError"
        )
    if name not in _FOUND:
        _assay.observes("find " + name)
    return _ModuleSpec(name) if _FOUND[name] else None
