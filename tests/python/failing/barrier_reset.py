import threading

barrier = threading.Barrier(2)
score = {"a": 0, "b": 0}
winners = []


def player(name, points):
    score[name] = points
    barrier.wait()
    if score[name] == max(score.values()):
        winners.append(name)
    score[name] = 0


threads = [
    threading.Thread(target=player, args=("a", 3), name="player-a"),
    threading.Thread(target=player, args=("b", 5), name="player-b"),
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert winners == ["b"], winners
