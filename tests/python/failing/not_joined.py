import threading

result = []


def compute():
    result.append(42)


thread = threading.Thread(target=compute)
thread.start()
assert result == [42]
