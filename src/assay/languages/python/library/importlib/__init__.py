"""Importing by name is refused where it is done."""
