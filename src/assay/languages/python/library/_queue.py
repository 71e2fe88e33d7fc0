"""`_queue`: what CPython has in C of `queue`."""

from queue import Empty, SimpleQueue
