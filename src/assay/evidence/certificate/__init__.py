"""The certificate: a script of the whole search that others can check (docs/formats/certificate.md)."""

from __future__ import annotations

CODINGS = ("fast", "small")  # how hard it is compressed
PYTHON_CLASS = "python-class"  # the language of transition systems that are written as classes
