# verdict: bytecode=verified gil=verified sync=verified
# Whether anybody knows a thread when it ends depends on who still has the list in which it stands.
import threading

lock = threading.Lock()
turns = 0


def take_turn():
    global turns
    with lock:
        turns = (turns + 1) % 3


def hold(team):
    assert len(team) == 1
    take_turn()
    del team
    take_turn()


def main():
    first = threading.Thread(target=take_turn)
    team = [first]
    others = [threading.Thread(target=hold, args=(team,)) for _ in range(2)]
    first.start()
    for other in others:
        other.start()
    del first, team
    for other in others:
        other.join()


main()
