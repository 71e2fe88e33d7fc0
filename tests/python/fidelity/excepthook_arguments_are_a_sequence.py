# holds
import threading

seen = []


def hook(args):
    kind, value, tb, thread = args
    seen.append(kind)


threading.excepthook = hook


def f():
    raise ValueError


t = threading.Thread(target=f)
t.start()
t.join()
assert seen == [ValueError]
