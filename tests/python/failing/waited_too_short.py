import threading

done = threading.Event()
result = []


def compute():
    result.append(42)
    done.set()


t = threading.Thread(target=compute)
t.start()
done.wait(timeout=1.0)
assert result == [42]
t.join()
