"""Linear temporal logic and the automata that accept its violations; knows no language and no search."""

from __future__ import annotations

MOST_ATOMS = 64  # of one automaton
