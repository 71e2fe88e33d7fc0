"""The module `gc`: when an object goes away is not modelled, so collecting does nothing that a program could tell."""

from _unknown import Unknown


def collect(generation=2):
    return Unknown("gc.collect()", 0)


def enable():
    pass


def disable():
    pass


def freeze():
    pass


def get_stats():
    return [
        {
            "collections": Unknown("gc.get_stats()", 0),
            "collected": Unknown("gc.get_stats()", 0),
            "uncollectable": Unknown("gc.get_stats()", 0),
        }
        for _ in range(3)
    ]
