"""`concurrent.futures.process`: its pool can be named and derived from, and is refused where it is made."""

from concurrent.futures import BrokenExecutor, ProcessPoolExecutor


class BrokenProcessPool(BrokenExecutor):
    pass
