# verdict: bytecode=verified
import random

while random.random() < 0.5:
    pass
