# refused
import threading

threading.Barrier(0)
