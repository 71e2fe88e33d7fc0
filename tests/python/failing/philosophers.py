import threading

N = 3
forks = [threading.Lock() for _ in range(N)]
meals = [0] * N


def philosopher(i):
    left, right = forks[i], forks[(i + 1) % N]
    left.acquire()
    right.acquire()
    meals[i] += 1
    right.release()
    left.release()


threads = [threading.Thread(target=philosopher, args=(i,), name=f"philosopher-{i}") for i in range(N)]
for t in threads:
    t.start()
for t in threads:
    t.join()
