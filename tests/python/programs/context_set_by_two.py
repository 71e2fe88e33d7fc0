# verdict: bytecode=verified
import contextvars
import threading

variable = contextvars.ContextVar("variable", default=0)
context = contextvars.copy_context()
threads = [threading.Thread(target=context.run, args=(variable.set, n)) for n in (1, 2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
