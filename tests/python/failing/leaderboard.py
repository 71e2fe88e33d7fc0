"""Scores are computed by a pool; a podium is kept sorted."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field


@dataclass
class Player:
    name: str
    points: int = 0


@dataclass
class Board:
    players: list[Player] = field(default_factory=list)
    podium: list[str] = field(default_factory=list)

    def add(self, name):
        player = Player(name)
        self.players.append(player)
        return player

    def refresh(self):
        ranking = sorted(self.players, key=lambda p: (-p.points, p.name))
        self.podium = [p.name for p in ranking[:2]]


def play(board, player, points):
    player.points += points
    board.refresh()
    return player.points


def tournament():
    board = Board()
    ann, bea, cyd = (board.add(n) for n in ("ann", "bea", "cyd"))
    with ThreadPoolExecutor(max_workers=2) as pool:
        futures = [pool.submit(play, board, cyd, 30), pool.submit(play, board, bea, 20)]
        totals = [f.result() for f in futures]
    assert totals == [30, 20]
    assert board.podium == ["cyd", "bea"], f"podium is {board.podium}"


if __name__ == "__main__":
    tournament()
