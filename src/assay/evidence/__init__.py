"""What a verdict rests on: the verdict itself, counterexamples, how much a lossy search may have missed."""
