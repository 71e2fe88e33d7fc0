import threading

sessions = {"a": 1, "b": 2}


def expire():
    for key in sessions:
        if sessions[key] > 1:
            pass


def login():
    sessions["c"] = 3


t1 = threading.Thread(target=expire)
t2 = threading.Thread(target=login)
t1.start()
t2.start()
t1.join()
t2.join()
