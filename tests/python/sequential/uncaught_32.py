from concurrent.futures import Future

f = Future()
f.set_exception(OSError("kept in the future"))
f.result()
# ends with OSError
