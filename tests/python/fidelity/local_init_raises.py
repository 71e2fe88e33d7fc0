# fails
import threading

n = [0]


class L(threading.local):
    def __init__(self):
        n[0] += 1
        if n[0] == 2:
            raise ValueError
        self.v = 7


l = L()
out = []


def w():
    for i in range(2):
        try:
            out.append(l.v)
        except ValueError:
            out.append("V")
        except AttributeError:
            out.append("A")


t = threading.Thread(target=w)
t.start()
t.join()
assert out == ["V", "A"]
