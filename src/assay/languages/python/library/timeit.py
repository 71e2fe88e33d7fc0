"""`timeit`: its clock. To time something is refused where it is begun."""

from time import perf_counter

default_timer = perf_counter
