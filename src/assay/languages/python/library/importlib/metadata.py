"""The versions of the packages that are installed where the program finds them; all else is refused."""

import re
from importlib import import_module

_VERSIONS = {}  # put in when a program is compiled
_ENTRY_POINTS = ()  # group, name and value of each, likewise


class PackageNotFoundError(ModuleNotFoundError):
    def __str__(self):
        return "No package metadata was found for " + str(self.name)

    @property
    def name(self):
        (name,) = self.args
        return name


def version(distribution_name):
    if not distribution_name:
        raise ValueError("A distribution name is required.")
    name = re.sub("[-_.]+", "-", distribution_name).lower()
    if name not in _VERSIONS:
        raise PackageNotFoundError(distribution_name)
    return _VERSIONS[name]


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
