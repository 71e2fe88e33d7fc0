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


def invalidate_caches():
    pass
