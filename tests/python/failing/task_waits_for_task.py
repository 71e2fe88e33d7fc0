from concurrent.futures import ThreadPoolExecutor

pool = ThreadPoolExecutor(max_workers=1)


def inner():
    return 1


def outer():
    return pool.submit(inner).result()


print(pool.submit(outer).result())
pool.shutdown()
