import threading

seen = []


def reader():
    for _ in range(2):
        try:
            seen.append(x)
        except NameError:
            seen.append(0)
    assert seen != [0, 1]


t = threading.Thread(target=reader)
t.start()
x = 1
t.join()
