import threading


def make_limiter(limit):
    used = 0

    def allow():
        nonlocal used
        if used < limit:
            used += 1
            return True
        return False

    return allow


allow = make_limiter(1)
granted = []


def client(name):
    if allow():
        granted.append(name)


clients = [threading.Thread(target=client, args=(name,), name=name) for name in ("web", "mobile")]
for one in clients:
    one.start()
for one in clients:
    one.join()
assert len(granted) <= 1, f"granted to {granted}"
