# holds
from itertools import islice


class I:
    def __index__(self):
        return 2


assert list(islice("abcd", I())) == ["a", "b"]
