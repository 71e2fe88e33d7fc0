"""The texts that a program compiles while it runs; which those are is found out by running it (`compiler/texts.py`)."""

TEXTS = {}
