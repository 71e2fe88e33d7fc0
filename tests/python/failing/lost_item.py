import threading

hits = {"home": 0, "about": 0}


def visit(page):
    hits[page] += 1


threads = [threading.Thread(target=visit, args=("home",)) for _ in range(2)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert hits["home"] == 2
