# verdict: bytecode=unusable
from datetime import datetime

if type(datetime(2020, 1, 1)) is datetime:
    raise ValueError
