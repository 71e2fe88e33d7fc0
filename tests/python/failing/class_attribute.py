import threading


class Request:
    total = 0

    def __init__(self):
        Request.total += 1
        self.number = Request.total


numbers = []


def handle():
    numbers.append(Request().number)


threads = [threading.Thread(target=handle) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert len(set(numbers)) == 2
