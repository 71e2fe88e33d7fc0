from collections import deque, OrderedDict

q = deque([1, 2], maxlen=2)
out = []
try:
    for k in q:
        out.append(k)
        q.append(3)
except RuntimeError as e:
    out.append(str(e))
print(out)
q = deque([1, 2, 3])
out = []
try:
    for k in q:
        out.append(k)
        q.rotate(1)
except RuntimeError as e:
    out.append(str(e))
print(out)
q = deque([1, 2, 3])
out = []
try:
    for k in q:
        out.append(k)
        q[2] = 9
except RuntimeError as e:
    out.append(str(e))
print(out)
q = deque([1, 2, 3])
out = []
try:
    for k in reversed(q):
        out.append(k)
        q.append(3)
        q.popleft()
except RuntimeError as e:
    out.append(str(e))
print(out)
o = OrderedDict([(1, 1), (2, 2), (3, 3)])
out = []
try:
    for k in o:
        out.append(k)
        if k == 1:
            o.move_to_end(1)
except RuntimeError as e:
    out.append(str(e))
print(out)
o = OrderedDict([(1, 1), (2, 2), (3, 3)])
out = []
try:
    for k in o:
        out.append(k)
        if k == 1:
            o.move_to_end(2)
except RuntimeError as e:
    out.append(str(e))
print(out)
q = deque([1, 2, 3])
for i, x in enumerate(q):
    q[i] = x + 1
print(q)
q = deque([1, 2, 3])
it = iter(q)
print(next(it))
q[1] = 7
print(next(it))
q[-1] = 8
print(next(it))
s = {1}
for x in s:
    s.remove(1)
    s.add(2)
    break
d = {1: 1, 2: 2}
for k in d:
    d[k] += 1
for k, v in d.items():
    d[k] = v + 1
print(d)
ks = d.keys()
print(bool(ks), [k for k in reversed(d)])
