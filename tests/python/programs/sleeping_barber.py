# verdict: bytecode=verified
import threading

CHAIRS = 1
waiting = 0
mutex = threading.Lock()
customers = threading.Semaphore(0)
barber = threading.Semaphore(0)
served = []
turned_away = []


def barber_work():
    while True:
        customers.acquire()
        barber.release()


def customer(i):
    global waiting
    with mutex:
        if waiting == CHAIRS:
            turned_away.append(i)
            return
        waiting += 1
    customers.release()
    barber.acquire()
    with mutex:
        waiting -= 1
        served.append(i)


threading.Thread(target=barber_work, daemon=True).start()
ts = [threading.Thread(target=customer, args=(i,)) for i in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert len(served) + len(turned_away) == 2
