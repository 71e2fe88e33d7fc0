import threading

done = []
t = threading.Timer(0.001, lambda a, b=0: done.append((a, b)), args=[1], kwargs={"b": 2})
t.start()
t.join()
print(done)
c = threading.Timer(3600, done.append, args=["never"])
c.start()
c.cancel()
c.join()
print(done, c.finished.is_set())
