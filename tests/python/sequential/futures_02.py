from concurrent.futures import CancelledError, Future, InvalidStateError
from concurrent.futures import TimeoutError as Expired

f = Future()
try:
    f.result(timeout=0.01)
except Expired:
    print("not yet")
f.set_result(1)
try:
    f.set_result(2)
except InvalidStateError:
    print("already set")
c = Future()
c.cancel()
try:
    c.result()
except CancelledError:
    print("cancelled")
r = Future()
print(r.set_running_or_notify_cancel(), r.running(), r.cancel())
