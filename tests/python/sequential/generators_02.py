# send
def averager():
    total = n = 0
    average = None
    while True:
        value = yield average
        total += value
        n += 1
        average = total / n


g = averager()
print(next(g))
for v in (10, 20, 60):
    print(g.send(v))
h = averager()
try:
    h.send(1)
except TypeError as error:
    print(error)
