"""Sequential programs at the waist: bit vectors, control flow, and the blocks between cut points."""
