import threading

context = threading.local()
saved = []


def save(item):
    saved.append((context.tenant, item))


def handle(tenant, items):
    context.tenant = tenant
    helper = threading.Thread(target=save, args=(items[0],), name="helper")
    helper.start()
    save(items[1])
    helper.join()


handle("acme", ["a", "b"])
assert sorted(saved) == [("acme", "a"), ("acme", "b")]
