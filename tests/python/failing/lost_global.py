import threading

counter = 0


def work():
    global counter
    for _ in range(2):
        counter += 1


threads = [threading.Thread(target=work) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert counter == 4, f"lost an update: {counter}"
