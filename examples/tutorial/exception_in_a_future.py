"""A future keeps the exception of its task and raises it again where the result is wanted."""

from concurrent.futures import ThreadPoolExecutor

prices = {"apple": 3, "pear": 4}


def price_of(fruit):
    return prices[fruit]


missing = []
with ThreadPoolExecutor(max_workers=2) as pool:
    futures = {fruit: pool.submit(price_of, fruit) for fruit in ("apple", "plum")}
    for fruit, future in futures.items():
        try:
            future.result()
        except KeyError:
            missing.append(fruit)
assert missing == ["plum"]
