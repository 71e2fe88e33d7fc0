"""A timer fires in a thread of its own, before or after what the main thread does next."""

import threading

greeting = None


def greet():
    assert greeting is not None, "the timer was faster than the greeting"


timer = threading.Timer(5.0, greet)
timer.start()
greeting = "hello"
timer.join()
