"""Linear temporal logic and the automata that accept its violations; knows no language and no search."""
