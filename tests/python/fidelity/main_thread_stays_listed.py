# fails
import threading


def w():
    threading.main_thread().join()
    assert threading.active_count() == 1, threading.enumerate()


threading.Thread(target=w).start()
