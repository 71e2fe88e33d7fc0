"""Importing by name. The modules that a program asks for are found out by running it (see `Modules.importlib`)."""

import _importing


def import_module(name, package=None):
    if name.startswith("."):
        if not package:
            raise TypeError(f"the 'package' argument is required to perform a relative import for {name!r}")
        level = len(name) - len(name.lstrip("."))
        parts = package.rsplit(".", level - 1)
        if len(parts) < level:
            raise ImportError("attempted relative import beyond top-level package")
        name = f"{parts[0]}.{name[level:]}" if name[level:] else parts[0]
    # by name
    return _importing.by_name(name)


def __import__(name, globals=None, locals=None, fromlist=(), level=0):
    if level:
        if globals is None:
            raise KeyError("'__name__' not in globals")
        own = globals["__name__"]
        package = own if "__path__" in globals else own.rpartition(".")[0]
        name = "." * level + name
        module = import_module(name, package)
        if not fromlist:
            _importing.refuse("__import__() of a relative name is not modelled; use importlib.import_module")
    else:
        module = import_module(name)
    if not fromlist:
        return import_module(name.partition(".")[0])
    for part in fromlist:
        if part != "*" and not hasattr(module, part):
            try:
                import_module(module.__name__ + "." + part)
            except ImportError:
                pass
    return module


def reload(module):
    _importing.refuse("importlib.reload() is not modelled; leave it out")


def invalidate_caches():
    pass
