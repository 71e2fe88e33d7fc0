# fails
import sys
import threading

seen = []


def hook(args):
    seen.append(args.exc_type)


threading.excepthook = hook
t = threading.Thread(target=sys.exit)
t.start()
t.join()
assert seen == []
