# verdict: bytecode=verified gil=verified sync=verified
import copy
import threading

board = {"a": [0], "b": [0]}
lock = threading.Lock()


def write():
    with lock:
        board["a"][0] = 1
        board["b"][0] = 1


def read():
    with lock:
        seen = copy.deepcopy(board)
    assert seen["a"] == seen["b"]
    seen["a"].append(2)


threads = [threading.Thread(target=write), threading.Thread(target=read)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert board == {"a": [1], "b": [1]}
