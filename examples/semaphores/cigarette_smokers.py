"""Cigarette smokers: an agent lays out two ingredients; who has the third one smokes.

Pushers, one for each ingredient, look at the table and wake the right smoker.
"""

import threading

import assay

ROUNDS = 1
INGREDIENTS = 3  # tobacco, paper, matches

mutex = threading.Lock()
table_is_free = threading.Semaphore(0)
laid_out = [threading.Semaphore(0) for _ in range(INGREDIENTS)]
on_table = [False] * INGREDIENTS
may_smoke = [threading.Semaphore(0) for _ in range(INGREDIENTS)]
missing = None  # what the agent did not lay out


def push(ingredient):
    others = [other for other in range(INGREDIENTS) if other != ingredient]
    while True:
        laid_out[ingredient].acquire()
        with mutex:
            for other in others:
                if on_table[other]:
                    on_table[other] = False
                    may_smoke[INGREDIENTS - ingredient - other].release()
                    break
            else:
                on_table[ingredient] = True


def smoke(own):
    while True:
        may_smoke[own].acquire()
        assert own == missing, "the wrong smoker was woken"
        table_is_free.release()


for number in range(INGREDIENTS):
    threading.Thread(target=push, args=(number,), name=f"pusher {number}", daemon=True).start()
    threading.Thread(target=smoke, args=(number,), name=f"smoker {number}", daemon=True).start()
for _ in range(ROUNDS):
    missing = assay.choose(*range(INGREDIENTS))
    for number in range(INGREDIENTS):
        if number != missing:
            laid_out[number].release()
    table_is_free.acquire()
assert not any(on_table)
