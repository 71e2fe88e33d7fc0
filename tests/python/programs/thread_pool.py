# verdict: bytecode=verified gil=verified
from multiprocessing import TimeoutError
from multiprocessing.dummy import Pool
from multiprocessing.pool import ThreadPool

heard = []


def fail(number):
    raise ValueError(number)


def numbers():
    yield -1
    yield -2


with ThreadPool(2) as pool:
    assert pool.map(abs, [-1, -2]) == [1, 2]
    assert pool.starmap(pow, [(2, 2)]) == [4]
    assert list(pool.imap(abs, numbers())) == [1, 2]
    assert sorted(pool.imap_unordered(abs, (-1, -2))) == [1, 2]
    assert pool.apply(pow, (2, 3)) == 8 and pool.map(abs, []) == []
    result = pool.apply_async(fail, (7,), callback=heard.append, error_callback=heard.append)
    result.wait()
    assert result.ready() and not result.successful() and str(heard[0]) == "7"
try:
    pool.apply(abs, (-1,))
    raise AssertionError
except ValueError as problem:
    assert str(problem) == "Pool not running"

pool = Pool(1)
try:
    pool.join()
    raise AssertionError
except ValueError as problem:
    assert str(problem) == "Pool is still running"
result = pool.map_async(abs, [-1, -2], callback=heard.extend)
try:
    assert result.get(timeout=1) == [1, 2]
except TimeoutError:
    pass
pool.close()
pool.join()
assert result.ready() and heard[1:] == [1, 2]
