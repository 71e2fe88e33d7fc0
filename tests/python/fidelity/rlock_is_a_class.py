# fails
import threading


class Counted(threading.Lock):
    pass
