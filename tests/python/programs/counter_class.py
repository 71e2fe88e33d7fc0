# verdict: bytecode=violated:assertion gil=verified sync=violated:data-race
import threading


class Counter:
    def __init__(self):
        self.value = 0

    def increment(self):
        self.value += 1


def worker(c):
    for _ in range(2):
        c.increment()


def main():
    c = Counter()
    ts = [threading.Thread(target=worker, args=(c,)) for _ in range(2)]
    for t in ts:
        t.start()
    for t in ts:
        t.join()
    print(f"Final value: {c.value}")
    assert c.value == 4, "lost update"


if __name__ == "__main__":
    main()
