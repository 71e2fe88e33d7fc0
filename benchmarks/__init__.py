"""Assay and SPIN side by side, on the same models, in the same run."""
