# verdict: bytecode=verified
import threading, random

table = {"tobacco": threading.Semaphore(0), "paper": threading.Semaphore(0), "match": threading.Semaphore(0)}
agent_sem = threading.Semaphore(0)
smoked = []
ROUNDS = 2


def agent():
    for _ in range(ROUNDS):
        who = random.choice(list(table))
        table[who].release()
        agent_sem.acquire()


def smoker(has):
    while True:
        table[has].acquire()
        smoked.append(has)
        agent_sem.release()


for k in table:
    threading.Thread(target=smoker, args=(k,), daemon=True).start()
a = threading.Thread(target=agent)
a.start()
a.join()
assert len(smoked) == ROUNDS
