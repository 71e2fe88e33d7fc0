"""A transition system written directly in Python: three stations pass a token around.

    assay verify token_ring.py:TokenRing
    assay verify token_ring.py:TokenRing --invariant 'len(sending) <= 1'
    assay verify token_ring.py:CarelessRing --invariant 'len(sending) <= 1'

A state is anything hashable; `enabled` lists the actions of a state in one
fixed order; `step` says where an action leads. The names in an invariant are
the fields of the state.
"""

from dataclasses import dataclass, replace

STATIONS = 3


@dataclass(frozen=True)
class Ring:
    token: int  # who may send
    sending: frozenset[int]


class TokenRing:
    """Only the station with the token sends, and it keeps the token until it is done."""

    def initial_states(self) -> list[Ring]:
        return [Ring(token=0, sending=frozenset())]

    def enabled(self, state: Ring) -> list[tuple[str, int]]:
        actions = []
        for station in range(STATIONS):
            if station in state.sending:
                actions.append(("stop", station))
            elif self.may_send(state, station):
                actions.append(("send", station))
        if self.may_pass(state):
            actions.append(("pass", state.token))
        return actions

    def step(self, state: Ring, action: tuple[str, int]) -> Ring:
        what, station = action
        if what == "send":
            return replace(state, sending=state.sending | {station})
        if what == "stop":
            return replace(state, sending=state.sending - {station})
        return replace(state, token=(station + 1) % STATIONS)

    def may_send(self, state: Ring, station: int) -> bool:
        return station == state.token

    def may_pass(self, state: Ring) -> bool:
        return state.token not in state.sending

    def describe(self, action: tuple[str, int]) -> str:
        what, station = action
        return f"station {station}: {what}"


class CarelessRing(TokenRing):
    """Passes the token on while it is still sending."""

    def may_pass(self, state: Ring) -> bool:
        return True
