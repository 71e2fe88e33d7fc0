# fails
import threading

lock = threading.Lock()
assert isinstance(lock, threading.Lock)
