# refused
import sys

calls = []


def trace(frame, event, arg):
    calls.append(event)


def f():
    pass


sys.settrace(trace)
f()
sys.settrace(None)
assert calls == []
