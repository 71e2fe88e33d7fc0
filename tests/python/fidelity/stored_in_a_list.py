# holds
import struct
import threading

kept = []


def one():
    kept.append(struct.Struct("i"))


t = threading.Thread(target=one)
t.start()
t.join()
assert kept[0].pack(1) == b"\x01\0\0\0"
