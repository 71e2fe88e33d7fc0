"""The versions of the packages that are installed where the program finds them; all else is refused."""

import re

_VERSIONS = {}  # put in when a program is compiled


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
