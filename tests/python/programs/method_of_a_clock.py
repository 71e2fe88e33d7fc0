# verdict: bytecode=unusable
import time

if hasattr(time.time(), "is_integer"):
    raise ValueError
