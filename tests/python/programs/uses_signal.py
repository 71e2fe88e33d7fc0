# verdict: bytecode=unusable
import signal, threading

stop = threading.Event()


def handler(signum, frame):
    stop.set()


signal.signal(signal.SIGINT, handler)


def work():
    while not stop.is_set():
        pass


t = threading.Thread(target=work, daemon=True)
t.start()
stop.set()
t.join()
