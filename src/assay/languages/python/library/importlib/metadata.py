"""What is written beside the packages that are installed where the program finds them: versions, headers, entry points."""

import re
import textwrap
from importlib import import_module

import _assay
from _files import open as _open

_VERSIONS = {}  # put in when a program is compiled
_FOLDERS = {}  # by normal name: where it is written about the package, likewise
_ENTRY_POINTS = ()  # group, name and value of each, likewise


class PackageNotFoundError(ModuleNotFoundError):
    def __str__(self):
        return "No package metadata was found for " + str(self.name)

    @property
    def name(self):
        (name,) = self.args
        return name


def _normal_name(distribution_name):
    if not distribution_name:
        raise ValueError("A distribution name is required.")
    name = re.sub("[-_.]+", "-", distribution_name).lower()
    if name not in _VERSIONS:
        raise PackageNotFoundError(distribution_name)
    return name


def version(distribution_name):
    return _VERSIONS[_normal_name(distribution_name)]


class _Message:
    """The headers of a file, in their order and asked for in capital or small letters, as a message of `email` has them."""

    def __init__(self, text):
        headers = []
        lines = text.split("\n")
        for number, line in enumerate(lines):
            if line[:1] in (" ", "\t") and headers:
                headers[-1][1] += "\n" + line
            elif ":" in line:
                name, _, value = line.partition(":")
                headers.append([name, value.lstrip(" \t")])
            else:
                break
        found = []
        for name, value in headers:
            found.append((name, textwrap.dedent(" " * 8 + value) if "\n" in value else value))
        if payload := "\n".join(lines[number + (not lines[number]) :]):
            found.append(("Description", payload))
        self._headers = tuple(found)

    def get_all(self, name, failobj=None):
        found = [value for key, value in self._headers if key.lower() == name.lower()]
        return found or failobj

    def get(self, name, failobj=None):
        found = self.get_all(name)
        return found[0] if found else failobj

    def __getitem__(self, name):
        return self.get(name)

    def __contains__(self, name):
        return self.get_all(name) is not None

    def keys(self):
        return [key for key, _ in self._headers]

    def values(self):
        return [value for _, value in self._headers]

    def items(self):
        return list(self._headers)

    def __iter__(self):
        return iter(self.keys())

    def __len__(self):
        return len(self._headers)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError("'Message' object has no attribute '" + name + "'")
        _assay.unsupported(
            name + " of the metadata of a package is not modelled; ask for its headers by name"
        )

    def __eq__(self, other):
        _assay.unsupported("comparing the metadata of packages is not modelled; compare its headers")

    __hash__ = __eq__


class Distribution:
    """A package that is installed."""

    def __init__(self, name):
        self._folder = _FOLDERS[name]
        self._normal_name = name

    @classmethod
    def from_name(cls, name):
        return Distribution(_normal_name(name))

    def read_text(self, filename):
        try:
            with _open(self._folder + "/" + filename, encoding="utf-8") as file:
                return file.read()
        except (FileNotFoundError, IsADirectoryError):
            return None

    def locate_file(self, path):
        from pathlib import Path

        return Path(self._folder).parent / path

    @property
    def metadata(self):
        return _Message(self.read_text("METADATA") or self.read_text("PKG-INFO") or "")

    @property
    def name(self):
        return self.metadata["Name"]

    @property
    def version(self):
        return _VERSIONS[self._normal_name]

    @property
    def requires(self):
        if self._folder.endswith(".egg-info"):
            _assay.unsupported("what a package of an old form requires is not modelled; leave it out")
        return self.metadata.get_all("Requires-Dist")

    @property
    def entry_points(self):
        found, group = [], ""
        for line in (self.read_text("entry_points.txt") or "").splitlines():
            text = line.strip()
            if text.startswith("[") and text.endswith("]"):
                group = text[1:-1].strip()
            elif "=" in text and not text.startswith(("#", ";")):
                name, _, value = text.partition("=")
                found.append(EntryPoint(name.strip(), value.strip(), group))
        return EntryPoints(found)

    @property
    def files(self):
        _assay.unsupported("the list of the files of a package is not modelled; name the files")


def distribution(distribution_name):
    return Distribution.from_name(distribution_name)


def metadata(distribution_name):
    return Distribution.from_name(distribution_name).metadata


def requires(distribution_name):
    return distribution(distribution_name).requires


class EntryPoint:
    def __init__(self, name, value, group):
        self.name = name
        self.value = value
        self.group = group

    @property
    def module(self):
        return self.value.partition(":")[0].strip()

    @property
    def attr(self):
        return self.value.partition(":")[2].partition("[")[0].strip()

    def load(self):
        found = import_module(self.module)
        for part in self.attr.split(".") if self.attr else ():
            found = getattr(found, part)
        return found


class EntryPoints(tuple):
    __slots__ = ()

    def __getitem__(self, name):
        for point in self:
            if point.name == name:
                return point
        raise KeyError(name)

    def select(self, **params):
        return EntryPoints(
            [point for point in self if all(getattr(point, key) == params[key] for key in params)]
        )

    @property
    def names(self):
        return {point.name for point in self}

    @property
    def groups(self):
        return {point.group for point in self}

    def get(self, group, default=()):
        return self.select(group=group) or default


def entry_points(**params):
    every = EntryPoints([EntryPoint(name, value, group) for group, name, value in _ENTRY_POINTS])
    return every.select(**params)
