"""Files inside of the packages of a program."""

from importlib import import_module
from pathlib import Path


def files(package):
    if isinstance(package, str):
        package = import_module(package)
    return Path(package.__file__).parent


def read_text(package, resource, encoding="utf-8", errors="strict"):
    return files(package).joinpath(resource).read_text(encoding=encoding, errors=errors)


def read_binary(package, resource):
    return files(package).joinpath(resource).read_bytes()


def open_text(package, resource, encoding="utf-8", errors="strict"):
    return files(package).joinpath(resource).open("r", encoding=encoding, errors=errors)


def open_binary(package, resource):
    return files(package).joinpath(resource).open("rb")


def is_resource(package, name):
    return files(package).joinpath(name).is_file()
