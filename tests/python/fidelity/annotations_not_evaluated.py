# fails
import threading


class Account:
    def __init__(self, lock: threading.Lock | None = None):
        self.lock = lock or threading.Lock()


Account()
