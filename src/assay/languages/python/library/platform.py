"""What `platform` tells of the interpreter; of the machine it tells nothing."""

import sys


def python_implementation():
    return "CPython"


def python_version():
    return sys.version.split()[0]


def python_version_tuple():
    return tuple(python_version().split("."))


def system():
    return "Linux"
