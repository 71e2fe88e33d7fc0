"""Proofs without visiting: an invariant for each location, and what a prover has to agree to."""
