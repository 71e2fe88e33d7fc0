# verdict: bytecode=unusable
import time

if isinstance(time.time(), float):
    raise ValueError
