# verdict: bytecode=verified
import time, threading


def work(name, delay):
    count = 0
    while count < 2:
        time.sleep(delay)
        count += 1
        print("%s: %s" % (name, time.ctime(time.time())))


t = threading.Thread(target=work, args=("T1", 2))
t.start()
u = threading.Thread(target=work, args=("T2", 4))
u.start()
t.join()
u.join()
print("Exiting")
