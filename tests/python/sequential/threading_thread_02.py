import threading


class Worker(threading.Thread):
    def __init__(self, n):
        super().__init__(name=f"w{n}")
        self.n = n
        self.result = None

    def run(self):
        self.result = self.n**2


workers = [Worker(n) for n in range(3)]
for w in workers:
    w.start()
    w.join()
print([w.result for w in workers], [w.name for w in workers])
print(threading.current_thread().name, threading.main_thread() is threading.current_thread())
print(threading.active_count(), threading.get_ident() == threading.main_thread().ident)
