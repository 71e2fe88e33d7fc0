# refused
import struct
import threading

kept = []


def one():
    kept.append(struct.Struct("i"))


t = threading.Thread(target=one)
t.start()
t.join()
