import threading

cache = {}
computed = []


def expensive(key):
    computed.append(key)
    return key * 2


def lookup(key):
    if key not in cache:
        cache[key] = expensive(key)
    return cache[key]


def main():
    threads = [threading.Thread(target=lookup, args=("answer",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(computed) == 1, "computed twice"


main()
