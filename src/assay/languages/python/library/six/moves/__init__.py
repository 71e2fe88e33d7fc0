"""What Python 3 has among its built-ins, and a few of the modules that have other names there."""

import functools
import itertools
import sys

import _assay

range = xrange = range
map = map
filter = filter
zip = zip
reduce = functools.reduce
zip_longest = itertools.zip_longest
filterfalse = itertools.filterfalse
intern = sys.intern
if _assay.mentions("queue"):
    import queue
if _assay.mentions("configparser"):
    import configparser
if _assay.mentions("_thread"):
    import _thread
if _assay.mentions("UserDict"):
    from collections import UserDict
if _assay.mentions("StringIO"):
    from io import StringIO
if _assay.mentions("builtins"):
    import builtins


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name == "winreg":
        raise ModuleNotFoundError("No module named 'winreg'", name="winreg")
    _assay.unsupported("six.moves." + name + " is not modelled; import what it is in Python 3")
