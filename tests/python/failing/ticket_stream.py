import threading


def tickets(start):
    number = start
    while True:
        yield f"T{number:03}"
        number += 1


stream = tickets(7)
printed = []


def printer():
    ticket = next(stream)
    printed.append(ticket)


threads = [threading.Thread(target=printer, name=f"printer-{n}") for n in "ab"]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sorted(printed) == ["T007", "T008"]
