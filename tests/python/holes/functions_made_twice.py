import threading

made = []
lock = threading.Lock()


def make():
    def inner():
        return 1

    return inner


def work():
    function = make()
    with lock:
        made.append(function)


ts = [threading.Thread(target=work) for _ in range(2)]
for t in ts:
    t.start()
seen = len(made)
for t in ts:
    t.join()
assert seen == 0 or made[0] is made[1]
