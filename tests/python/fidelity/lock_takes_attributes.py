# fails
import threading

lock = threading.Lock()
lock.name = "a"
