"""The package `concurrent`; only `concurrent.futures` is in it."""
