import threading

condition = threading.Condition()
ready = False


def consumer():
    with condition:
        condition.wait()
        assert ready


def producer():
    global ready
    with condition:
        ready = True
        condition.notify()


c = threading.Thread(target=consumer, name="consumer")
p = threading.Thread(target=producer, name="producer")
c.start()
p.start()
c.join()
p.join()
