# verdict: bytecode=verified
import threading

out = []


def w():
    import helper_of_imports
    import json

    helper_of_imports.record(json.dumps({"a": 1}))
    out.append(helper_of_imports.count())


ts = [threading.Thread(target=w) for _ in range(2)]
for t in ts:
    t.start()
for t in ts:
    t.join()
assert max(out) == 2
