# refused
import threading

t = threading.Thread(target=len, args=([],))
t.start()
t.join()
assert t._target is None
