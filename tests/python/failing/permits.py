import threading

permits = threading.Semaphore(2)
results = {}


def download(url):
    permits.acquire()
    if url.startswith("ftp:"):
        results[url] = "refused"
        return
    results[url] = "ok"
    permits.release()


urls = ["ftp://a", "http://b", "ftp://c", "http://d"]
threads = [threading.Thread(target=download, args=(url,)) for url in urls]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert len(results) == 4
