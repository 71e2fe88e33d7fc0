# refused
import abc

import assay


class Base(abc.ABC):
    pass


class Some:
    pass


if assay.choose(0, 1):
    Base.register(Some)
assert not issubclass(Some, Base)
