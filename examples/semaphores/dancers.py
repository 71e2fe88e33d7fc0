"""Queue: leaders and followers dance in pairs; who finds no partner waits, and pairs take turns."""

import threading

import assay

PAIRS = 2

mutex = threading.Semaphore(1)
leader_queue = threading.Semaphore(0)
follower_queue = threading.Semaphore(0)
partner_is_done = threading.Semaphore(0)
leaders = followers = 0  # who wait
floor = []


def lead():
    global leaders, followers
    mutex.acquire()
    if followers > 0:
        followers -= 1
        follower_queue.release()
    else:
        leaders += 1
        mutex.release()
        leader_queue.acquire()
    floor.append("leader")
    partner_is_done.acquire()
    floor.remove("leader")
    mutex.release()


def follow():
    global leaders, followers
    mutex.acquire()
    if leaders > 0:
        leaders -= 1
        leader_queue.release()
    else:
        followers += 1
        mutex.release()
        follower_queue.acquire()
    floor.append("follower")
    floor.remove("follower")
    partner_is_done.release()


assay.invariant(lambda: floor.count("leader") <= 1, name="one leader dances")
assay.invariant(lambda: floor.count("follower") <= 1, name="one follower dances")
threads = [threading.Thread(target=dance) for dance in (lead, follow) * PAIRS]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not floor
