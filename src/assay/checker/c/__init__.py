"""C programs and proofs about them, read from their texts alone."""
