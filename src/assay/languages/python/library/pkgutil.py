"""Files inside of the packages of a program; all else is refused where it is used."""

from importlib import import_module

from _files import open as _open


def get_data(package, resource):
    folder = import_module(package).__file__.rpartition("/")[0]
    with _open(folder + "/" + resource, "rb") as file:
        return file.read()


def extend_path(path, name):
    return path
