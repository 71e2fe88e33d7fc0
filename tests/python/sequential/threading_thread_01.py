# one thread at a time: start and join
import threading


def work(a, b=0, *, c=0):
    print("work", a, b, c)


t = threading.Thread(target=work, args=(1,), kwargs={"c": 3}, name="worker")
print(t.name, t.is_alive(), t.daemon, t.ident)
t.start()
t.join()
print(t.is_alive(), t.ident is not None)
try:
    t.start()
except RuntimeError as error:
    print(error)
try:
    threading.Thread(target=work).join()
except RuntimeError as error:
    print(error)
d = threading.Thread(target=print, args=("daemon",), daemon=True)
print(d.daemon)
d.start()
d.join()
