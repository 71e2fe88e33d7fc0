"""Instances of classes that have a `__del__`: as long as they live, it does nothing.

When an object goes away is not modelled: it is remembered for good, so that no state is accepted in which it is gone, as with
the callbacks of `weakref`. What is left when the program ends is finalized by CPython after the last thing that can fail.
"""

import _assay

_awaited = {}  # what has an end of its own


def remember(made):
    _awaited[_assay.identity(made)] = True
    _assay.remark(
        "an instance of "
        + type(made).__name__
        + ", which has a __del__, lives until the program ends; what is done with it then is not followed"
    )
