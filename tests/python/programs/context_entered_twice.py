# verdict: bytecode=violated:exception
import contextvars
import threading

variable = contextvars.ContextVar("variable", default=0)
context = contextvars.copy_context()


def work(number):
    variable.set(number)


threads = [threading.Thread(target=context.run, args=(work, n)) for n in (1, 2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
