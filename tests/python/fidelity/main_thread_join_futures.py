# fails
import concurrent.futures
import threading


def w():
    threading.main_thread().join()


pool = concurrent.futures.ThreadPoolExecutor(1)
pool.submit(w)
