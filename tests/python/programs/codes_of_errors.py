# verdict: bytecode=verified
import cmath
import errno
import threading

out = []


def work():
    try:
        raise OSError(errno.ENOENT, "no such thing")
    except OSError as problem:
        out.append(problem.errno == errno.ENOENT)


thread = threading.Thread(target=work)
thread.start()
thread.join()
assert out == [True]
assert abs(cmath.exp(0) - 1) < 1e-9
