import json
import threading

d = [[0], [0]]


def w():
    d[0][0] = 1
    d[1][0] = 1


def r():
    s = json.loads(json.dumps(d, indent=1))
    assert s[0][0] >= s[1][0]


ts = [threading.Thread(target=w), threading.Thread(target=r)]
for t in ts:
    t.start()
for t in ts:
    t.join()
