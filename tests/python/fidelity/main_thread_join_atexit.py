# holds
import atexit
import threading

done = []
atexit.register(lambda: done.append(1))


def w():
    threading.main_thread().join()
    done.append(0)


threading.Thread(target=w).start()
