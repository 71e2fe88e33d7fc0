"""What a timed wait returns is looked at, so it does not matter whether the time was enough."""

import threading

ready = threading.Event()
outcome = None


def prepare():
    ready.set()


preparer = threading.Thread(target=prepare)
preparer.start()
outcome = "ready" if ready.wait(timeout=0.1) else "too late"
preparer.join()
assert outcome == "too late" or ready.is_set()
