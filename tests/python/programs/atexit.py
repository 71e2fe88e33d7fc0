# verdict: bytecode=verified
import atexit, threading

log = []


@atexit.register
def bye():
    log.append("bye")
    print("bye", log)


def w():
    log.append("w")


t = threading.Thread(target=w)
t.start()
