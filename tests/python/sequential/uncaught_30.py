import threading

threading.Lock().release()
# ends with RuntimeError
