"""What is kept in `threading.local` belongs to each thread alone: no lock is needed."""

import threading

own = threading.local()
sums = []


def add_up(numbers):
    own.total = 0
    for number in numbers:
        own.total += number
    sums.append(own.total)


threads = [threading.Thread(target=add_up, args=(numbers,)) for numbers in ([1, 2], [3, 4])]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert sorted(sums) == [3, 7]
assert not hasattr(own, "total")
