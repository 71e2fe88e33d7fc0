"""A daemon still runs while main is on its way out."""

import sys
import threading

flag = False


def watcher():
    assert not flag


threading.Thread(target=watcher, daemon=True).start()
flag = True
sys.exit()
