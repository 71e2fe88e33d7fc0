# fails
import threading

assert not threading.RLock().locked()
