# fails
import sys

sys.setswitchinterval(1.0)
assert sys.getswitchinterval() == 0.005
