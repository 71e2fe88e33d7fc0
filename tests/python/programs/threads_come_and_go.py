# verdict: bytecode=verified gil=verified sync=verified
# Ended threads are forgotten when nobody knows them any more, so there is an end of states.
import threading

rounds = 0


def work():
    global rounds
    rounds = (rounds + 1) % 3


while True:
    first = threading.Thread(target=work, name="first")
    second = threading.Thread(target=len, args=("",), name="second")
    first.start()
    second.start()
    second.join()
    first.join()
