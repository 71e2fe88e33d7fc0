"""A slow, plain explorer of threaded Python programs, to compare the machine with.

Written from the documented semantics of Python and of its threading module, not from the machine: an
interpreter that walks the syntax tree, in which each thread is a generator that yields wherever another
thread may take over, and an explorer that runs every schedule from the start.
"""

from tests.python.oracle.explorer import Exploration, TooLarge, explore
from tests.python.oracle.outcome import GRANULARITIES, Outcome
from tests.python.oracle.values import Unsupported

__all__ = ["GRANULARITIES", "Exploration", "Outcome", "TooLarge", "Unsupported", "explore"]
