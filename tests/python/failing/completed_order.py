from concurrent.futures import ThreadPoolExecutor, as_completed

PRICES = {"AAPL": 190, "MSFT": 410}


def fetch(symbol):
    return PRICES[symbol]


def quotes(symbols):
    with ThreadPoolExecutor(max_workers=2) as pool:
        futures = [pool.submit(fetch, symbol) for symbol in symbols]
        prices = [future.result() for future in as_completed(futures)]
    return dict(zip(symbols, prices))


def main():
    table = quotes(["AAPL", "MSFT"])
    assert table["AAPL"] == 190


if __name__ == "__main__":
    main()
