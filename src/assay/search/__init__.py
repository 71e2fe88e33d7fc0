"""Strategies that explore a transition system; none of them knows a language."""
