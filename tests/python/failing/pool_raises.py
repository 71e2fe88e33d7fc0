from concurrent.futures import ThreadPoolExecutor

stock = {"apple": 1}


def buy(item):
    if stock[item] == 0:
        raise ValueError(f"sold out: {item}")
    left = stock[item] - 1
    if left < 0:
        raise RuntimeError("negative stock")
    stock[item] = left
    return left


def main():
    with ThreadPoolExecutor(max_workers=2) as pool:
        futures = [pool.submit(buy, "apple") for _ in range(2)]
    results = [f.result() for f in futures]
    assert results == [0, 0]


main()
