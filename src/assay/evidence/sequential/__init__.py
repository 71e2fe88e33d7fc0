"""What a proof about a sequential program must meet."""
