# verdict: gil=violated:exception
import threading

sessions = {i: f"user{i}" for i in range(2)}


def report():
    for sid, name in sessions.items():
        print(sid, name)


def login():
    sessions[99] = "eve"


t1 = threading.Thread(target=report)
t2 = threading.Thread(target=login)
t1.start()
t2.start()
t1.join()
t2.join()
