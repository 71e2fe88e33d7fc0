# refused
import threading

calls = []
threading.setprofile(lambda *a: calls.append(1))
t = threading.Thread(target=len, args=([],))
t.start()
t.join()
assert not calls
