"""Sequential C programs: gcc accepts the text, pycparser reads it, `lowering` gives its control flow."""
