"""Engines for sequential programs, one file each, with one protocol (`findings`)."""
