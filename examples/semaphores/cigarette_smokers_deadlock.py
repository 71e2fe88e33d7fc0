"""Cigarette smokers, broken: everybody grabs what is there first, and two hold one ingredient each."""

import threading

import assay

INGREDIENTS = 3  # tobacco, paper, matches

table_is_free = threading.Semaphore(0)
laid_out = [threading.Semaphore(0) for _ in range(INGREDIENTS)]


def smoke(own):
    while True:
        laid_out[(own + 1) % INGREDIENTS].acquire()
        laid_out[(own + 2) % INGREDIENTS].acquire()
        table_is_free.release()


for number in range(INGREDIENTS):
    threading.Thread(target=smoke, args=(number,), name=f"smoker {number}", daemon=True).start()
missing = assay.choose(*range(INGREDIENTS))
for number in range(INGREDIENTS):
    if number != missing:
        laid_out[number].release()
table_is_free.acquire()
