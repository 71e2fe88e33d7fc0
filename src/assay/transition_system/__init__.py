"""The one interface where languages and searches meet."""
