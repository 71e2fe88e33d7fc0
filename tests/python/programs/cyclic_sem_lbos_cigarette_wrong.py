# verdict: bytecode=violated:deadlock
import threading

tobacco, paper, match = (threading.Semaphore(0) for _ in range(3))
agent = threading.Semaphore(1)


def agent_a():
    agent.acquire()
    tobacco.release()
    paper.release()


def agent_b():
    agent.acquire()
    paper.release()
    match.release()


def smoker_with_matches():
    tobacco.acquire()
    paper.acquire()
    agent.release()


def smoker_with_tobacco():
    paper.acquire()
    match.acquire()
    agent.release()


ts = [threading.Thread(target=f) for f in (agent_a, agent_b, smoker_with_matches, smoker_with_tobacco)]
for t in ts:
    t.start()
for t in ts:
    t.join()
