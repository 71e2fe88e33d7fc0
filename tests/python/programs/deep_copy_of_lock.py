# verdict: bytecode=violated:exception
import threading, copy


class A:
    def __init__(self):
        self.lock = threading.Lock()
        self.n = 0


a = A()
b = copy.deepcopy(a)
