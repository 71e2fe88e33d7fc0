"""Agreement with SPIN: the same programs, the same verdicts, the same counts."""
