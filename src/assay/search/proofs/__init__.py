"""Proofs before the last state: invariants guessed from what a short search has seen, and weeded by a
prover."""
