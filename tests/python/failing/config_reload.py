import threading

changed = threading.Event()
stopping = threading.Event()
loaded = []
version = 0


def watcher():
    while not stopping.is_set():
        changed.wait()
        loaded.append(version)
        changed.clear()


def main():
    global version
    thread = threading.Thread(target=watcher, name="watcher")
    thread.start()
    version = 1
    changed.set()
    version = 2
    stopping.set()
    changed.set()
    thread.join()
    assert loaded[-1] == 2, loaded


main()
