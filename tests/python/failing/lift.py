import random
import threading

floor = 0
doors_open = False
lock = threading.Lock()


def rider():
    global doors_open
    wanted = random.choice([1, 2])
    if floor == wanted:
        with lock:
            doors_open = True


def motor():
    global floor
    for _ in range(2):
        with lock:
            assert not doors_open, f"moving from floor {floor} with open doors"
            floor += 1


threads = [threading.Thread(target=rider, name="rider"), threading.Thread(target=motor, name="motor")]
for t in threads:
    t.start()
for t in threads:
    t.join()
