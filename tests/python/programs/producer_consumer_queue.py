# verdict: gil=verified
import queue
import threading
import time
import random
import logging

logging.basicConfig(format="%(asctime)s: %(message)s", level=logging.INFO, datefmt="%H:%M:%S")


def producer(q, event):
    while not event.is_set():
        message = random.randint(1, 2)
        logging.info("Producer got message: %s", message)
        q.put(message)
    logging.info("Producer received event. Exiting")


def consumer(q, event):
    while not event.is_set() or not q.empty():
        try:
            message = q.get(timeout=0.1)
        except queue.Empty:
            continue
        logging.info("Consumer storing message: %s (size=%d)", message, q.qsize())
    logging.info("Consumer received event. Exiting")


if __name__ == "__main__":
    pipeline = queue.Queue(maxsize=2)
    event = threading.Event()
    t1 = threading.Thread(target=producer, args=(pipeline, event))
    t2 = threading.Thread(target=consumer, args=(pipeline, event))
    t1.start()
    t2.start()
    time.sleep(0.1)
    logging.info("Main: about to set event")
    event.set()
    t2.join()
