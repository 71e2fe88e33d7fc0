import threading

own = threading.local()
own.x = 1


def work():
    print(hasattr(own, "x"))
    own.x = 2
    print(own.x)


t = threading.Thread(target=work)
t.start()
t.join()
print(own.x)
del own.x
try:
    own.x
except AttributeError:
    print("gone")


class Own(threading.local):
    kind = "class"

    def __init__(self, n=5):
        self.n = n


o = Own()
o.n += 1
print(o.n, o.kind)
