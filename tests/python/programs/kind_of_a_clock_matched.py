# verdict: bytecode=unusable
import time

match time.time():
    case float():
        raise ValueError
