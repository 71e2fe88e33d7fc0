# verdict: bytecode=violated:assertion
import threading

config = {"host": "a", "port": 1}


def update():
    global config
    config = {**config, "host": "b", "port": 2}


def read():
    assert (config["host"], config["port"]) in [("a", 1), ("b", 2)]


w = threading.Thread(target=update)
r = threading.Thread(target=read)
w.start()
r.start()
w.join()
r.join()
