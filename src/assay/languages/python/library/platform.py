"""What `platform` tells of the interpreter; of the machine it tells nothing."""

import sys

import _assay


def python_implementation():
    return "CPython"


def python_version():
    return sys.version.split()[0]


def python_version_tuple():
    return tuple(python_version().split("."))


def architecture(executable="", bits="", linkage=""):
    _assay.remark("the program asks for the architecture, which is taken for 64 bits and ELF in every run")
    return ("64bit", "ELF")


def system():
    _assay.remark("the program asks for the system, which is taken for Linux in every run")
    return "Linux"
